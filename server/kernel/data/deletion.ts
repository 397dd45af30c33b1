// Of DELETEs that overlap, one gets 200 and every other 409; one that starts afterwards gets 404
// (docs/interface.md, Deletes).
//
// The winner's statement removes the row and leaves a `deletions` row. Before it answers, it takes a lock on that row
// and keeps it until the moment of the answer is written there. Whoever finds the resource gone waits for that lock,
// then compares: received before the answer was 409, after it is 404. The rule holds on any number of nodes.

import type { Key } from '../contract/contract.ts';
import { Refusal } from '../contract/errors.ts';
import type { Call } from '../http/routes.ts';
import type { Db, Tx } from './db.ts';
import { literal, type Sql, sql, trusted } from './sql.ts';

/**
 * CTE body that records what was deleted: the resource that the request names (`root_id`) and all that went with it.
 * `source` has the column id, and external_id where the family has one.
 */
export const tombstones = (
  kind: string,
  root_id: number,
  source: string,
  now: string,
  external_id = 't.external_id::text',
): Sql => sql`
  insert into deletions (organisation_id, kind, id, root_id, external_id, deleted_at)
  select $1, ${literal(kind)}, t.id, ${root_id}, ${trusted(external_id)}, ${now}::timestamptz
  from ${trusted(source)} as t`;

/** Id of what was deleted under this external id a moment ago. */
const findDeletedId = (tx: Tx, kind: string, external_id: string | number) =>
  tx.value<number>(sql`
    select id from deletions
    where organisation_id = $1 and kind = ${kind} and external_id = ${String(external_id)}
    order by deleted_at desc limit 1`);

/** What `find` finds; where that is nothing, the request may have come too late for it. */
export const unlessDeleted = <Found>(
  { tx, client }: Pick<Call, 'tx' | 'client'>,
  kind: string,
  key: Key,
  find: () => Promise<Found>,
): Promise<Found> =>
  find().catch(async (error) => {
    if (error.code !== 'not_found') throw error;
    const id = typeof key === 'number' ? key : await findDeletedId(tx, kind, key.external_id);
    if (id === undefined) throw error;
    return tooLate(tx, kind, id, client.received_micros);
  });

/** Runs the deletion; `remove` says whether it deleted something. */
export async function deleteOnce(
  call: Pick<Call, 'tx' | 'client' | 'services' | 'isDryRun'>,
  kind: string,
  id: number,
  remove: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const { tx, client, services } = call;
  if (!(await tx.transaction(remove))) return tooLate(tx, kind, id, client.received_micros);
  if (call.isDryRun) return;
  const held = await holdUntilAnswered(services.db, tx, kind, id);
  client.answered(held);
}

async function holdUntilAnswered(db: Db, tx: Tx, kind: string, id: number): Promise<(micros: number) => Promise<void>> {
  const connection = await db.connect();
  try {
    await connection.query('begin');
    await connection.query(
      'select from deletions where organisation_id = $1 and kind = $2 and root_id = $3 for update',
      [tx.organisation_id, kind, id],
    );
  } catch (error) {
    connection.release(true);
    throw error;
  }
  return async (micros) => {
    let broken = false;
    try {
      await connection.query(
        'update deletions set answered_micros = $4 where organisation_id = $1 and kind = $2 and root_id = $3',
        [tx.organisation_id, kind, id, micros],
      );
      await connection.query('commit');
    } catch (error) {
      broken = true;
      throw error;
    } finally {
      connection.release(broken);
    }
  };
}

/** The resource is not there. Was it there when this request came in? */
export async function tooLate(tx: Tx, kind: string, id: number, received_micros: number): Promise<never> {
  // A row that is neither answered nor locked belongs to a winner that is about to answer,
  // or that died before it could.
  const found = await tx.row<{ answered_micros: number | null }>(sql`
    select answered_micros from deletions
    where organisation_id = $1 and kind = ${kind} and id = ${id}
      and (answered_micros is not null or deleted_at > ${tx.now()}::timestamptz - interval '1 minute') for share`);
  if (found && (found.answered_micros === null || received_micros < found.answered_micros)) {
    throw new Refusal('concurrent_delete', 'Another request deleted this at the same time.');
  }
  throw new Refusal('not_found', 'There is no such resource, or you may not see it.');
}

/** The chore: who comes later than this finds what was deleted simply gone. */
export const forgetDeletions = (tx: Tx) =>
  tx.rows(sql`
    delete from deletions
    where organisation_id = $1 and deleted_at < ${tx.now()}::timestamptz - interval '10 minutes'`);

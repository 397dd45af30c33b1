// What changed since a number, in one order, for whoever keeps a copy: GET /v1/changes (modules/changes).
//
// No row is written for a change. Each row of a family in the feed has `sequence`, a number that every change of it
// renews, and an index by that. What a row cannot say of itself is a note: it is gone, or others see it than before.
//
//     pages           3 at 14        5 at 21           page 3 was written, page 5 was changed twice
//     change_notes            3 at 17                  page 3 was deleted
//     feed            17: 3 is gone, 21: 5 as it is now
//
// All numbers come from one sequence, and a lower one may be committed after a higher one: somebody who has read up to
// the higher would never hear of it. So the feed ends at a number below which everything is committed or given up
// (`settledSequence`).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from './db.ts';
import { literal, type Sql, sql, trusted } from './sql.ts';

/** CTE body: a note of each row of `source`, which has the column id. */
export const noted = (type: string, source: string | Sql, now: string): Sql => sql`
  insert into change_notes (organisation_id, sequence, type, id, noted_at)
  select $1, nextval('content_sequence'), ${literal(type)}, t.id, ${now}::timestamptz
  from ${typeof source === 'string' ? trusted(source) : source} t`;
export const noteChange = (tx: Tx, type: string, id: number) =>
  tx.rows(noted(type, sql`(select ${id}::bigint as id)`, tx.now()));

const LOOK_MS = 5;
const SETTLED_WITHIN_MS = 2000;

/**
 * A number below which no transaction of now will still write; undefined: a long one does not end. Whoever takes a
 * number for a row holds the lock of its table's writers before that, and until it is committed.
 */
export async function settledSequence(tx: Tx, tables: readonly string[]): Promise<number | undefined> {
  const sequence = await tx.value<number>(sql`select last_value from content_sequence where $1::bigint > 0`);
  const writing = (which: Sql) => sql`
    select distinct l.virtualtransaction from pg_locks l
    where $1::bigint > 0 and l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and l.relation = any(${['change_notes', ...tables]}::text[]::regclass[]::oid[]) and ${which}`;
  let writers = await tx.values<string>(writing(trusted('true')));
  for (const until = Date.now() + SETTLED_WITHIN_MS; writers.length > 0; ) {
    if (Date.now() > until) return undefined;
    await sleep(LOOK_MS);
    writers = await tx.values<string>(writing(sql`l.virtualtransaction = any(${writers}::text[])`));
  }
  return sequence;
}

/** The chore: notes are kept for this many days, and of later ones it is known how far they reach back. */
export const forgetNotes = (tx: Tx, days: number) =>
  tx.rows(sql`
    with gone as (
      delete from change_notes
      where organisation_id = $1 and noted_at < ${tx.now()}::timestamptz - ${days} * interval '1 day'
      returning sequence)
    insert into change_floors as f (organisation_id, sequence)
    select $1, max(sequence) from gone having count(*) > 0
    on conflict (organisation_id) do update set sequence = greatest(f.sequence, excluded.sequence)`);
/** Who has read only so far, or less, cannot learn of all that is gone. */
export const findFloor = async (tx: Tx) =>
  (await tx.value<number>(sql`select sequence from change_floors where organisation_id = $1`)) ?? 0;

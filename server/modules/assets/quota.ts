// How much people may keep, and how many pixels a request may have looked at. Bytes are counted like the rows of lists
// (kernel/data/listing.ts): the statement that writes or deletes assets appends a change, so that uploads do not wait
// for one another, and changes are summed up later. Uploads that overlap may exceed a limit by what they carry.
import { refuse } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Call } from '../../kernel/http/routes.ts';

export type Uploading = Pick<Call, 'tx' | 'actor' | 'services'>;
type Change = 'added' | 'gone';

const refuseBeyond = (message: string, path: string): never => refuse('quota_exceeded', message, { path });

/** CTE body: rows of `source` (creator_id, byte_size) are kept from now on, or no longer. */
export const countedBytes = (source: Change): Sql => sql`
  insert into upload_changes (organisation_id, user_id, byte_size)
  select $1, b.creator_id, ${trusted(source === 'gone' ? '-' : '')}sum(b.byte_size)
  from ${trusted(source)} b group by b.creator_id`;

/** An app uploads for many people: only the organisation's limit holds for it. */
export async function refuseBeyondQuota({ tx, actor, services: { config } }: Uploading, bytes: number, field: string) {
  const kept = await tx.row<{ person: number; organisation: number }>(sql`
    select coalesce(sum(byte_size) filter (where user_id = ${actor.user_id}), 0)::bigint as person,
      coalesce(sum(byte_size) filter (where user_id <> ${actor.user_id} or is_change), 0)::bigint as organisation
    from (
      select user_id, byte_size, false as is_change from upload_totals
      where organisation_id = $1 and user_id in (0, ${actor.user_id})
      union all
      select user_id, byte_size, true from upload_changes where organisation_id = $1) k`);
  const { person = 0, organisation = 0 } = kept ?? {};
  const most = config.person_bytes_max;
  if (actor.kind !== 'key' && person + bytes > most)
    refuseBeyond(`Your uploads would have more than the ${most} bytes that a person may keep.`, field);
  if (organisation + bytes > config.organisation_bytes_max)
    refuseBeyond('The uploads of your organisation would have more bytes than it may keep.', field);
}

export async function refuseManyPending({ tx, actor, services: { config } }: Uploading) {
  const most = config.pending_uploads_max;
  const count = await tx.value<number>(sql`
    select count(*)::int from (
      select from assets where organisation_id = $1 and creator_id = ${actor.user_id} and state = 'pending'
      limit ${most}) p`);
  if ((count ?? 0) >= most)
    refuseBeyond(`You have ${most} uploads that are not confirmed; confirm or delete some first.`, 'file_name');
}

const CHANGES_MAX = 50_000;
/** Chore. In order of the people, so that nodes that do it at the same time do not wait for each other in a circle. */
export const sumUpUploads = (tx: Tx) =>
  tx.rows(sql`
    with taken as (
      delete from upload_changes
      where organisation_id = $1 and ctid = any (array(
        select ctid from upload_changes where organisation_id = $1 limit ${CHANGES_MAX}))
      returning user_id, byte_size)
    insert into upload_totals as t (organisation_id, user_id, byte_size)
    select $1, s.user_id, s.byte_size
    from (
      select 0 as user_id, sum(byte_size) as byte_size from taken having count(*) > 0
      union all
      select user_id, sum(byte_size) from taken group by user_id) s
    order by s.user_id
    on conflict (organisation_id, user_id) do update set byte_size = t.byte_size + excluded.byte_size`);

/** Pixels that one request may still have decoded. */
export interface PixelBudget {
  left: number;
}
export function spendPixels(budget: PixelBudget, pixels: number, field: string) {
  budget.left -= pixels;
  if (budget.left < 0) refuseBeyond('The pictures of this request have too many pixels together.', field);
}

/** Runs work while it weighs so much together at most; the rest waits in order. What is too heavy runs alone. */
export function scale(weight_max: number) {
  let weight = 0;
  const waiting: { heavy: number; start: () => void }[] = [];
  const fits = (heavy: number) => weight === 0 || weight + heavy <= weight_max;
  return async <Result>(heavy: number, work: () => Promise<Result>): Promise<Result> => {
    if (waiting.length === 0 && fits(heavy)) weight += heavy;
    else await new Promise<void>((start) => void waiting.push({ heavy, start }));
    try {
      return await work();
    } finally {
      weight -= heavy;
      for (let next = waiting[0]; next && fits(next.heavy); next = waiting[0]) {
        waiting.shift();
        weight += next.heavy;
        next.start();
      }
    }
  };
}

import type { Paging } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { ContentNoun } from '../content/contract.ts';
import type { Reading } from '../content/family.ts';
import { authorOf } from '../users/queries.ts';
import type { NewPoll } from './contract.ts';

const votes: Listing = { table: 'poll_votes', at: 'created_at', id: 'user_id', newestFirst: false };
const isOver = (now: string) => sql`coalesce(p.ends_at <= ${now}::timestamptz, false)`;
const votesOf = (user_id: number) => sql`
  select v.n from poll_votes v
  where v.organisation_id = $1 and v.update_id = p.update_id and v.user_id = ${user_id}`;
/** Condition on the poll `p`: a person votes before they see how others did. */
const seesResults = ({ kind, user_id }: Actor, now: string) =>
  kind === 'key' ? trusted('true') : sql`(${isOver(now)} or exists (${votesOf(user_id)}))`;

/** Scalar: the poll on the update whose id this is; null for none. */
export const pollOf = (update_id: Sql, { actor, now }: Reading): Sql => {
  const known = actor ? seesResults(actor, now) : trusted('true');
  const own = actor
    ? sql`(select coalesce(json_agg(n order by n), '[]') from (${votesOf(actor.user_id)}) o)`
    : sql`'[]'`;
  return sql`(
  select json_build_object(
    'options', (
      select json_agg(json_build_object('id', o.n, 'text', o.text,
        'votes_count', case when k.is_known then o.votes_count end) order by o.n)
      from poll_options o where o.organisation_id = $1 and o.update_id = p.update_id),
    'is_multiple', p.is_multiple, 'is_anonymous', p.is_anonymous, 'ends_at', iso(p.ends_at),
    'is_open', not ${isOver(now)}, 'voters_count', p.voters_count, 'my_votes', ${own}::json)
  from polls p cross join lateral (select ${known} as is_known) k
  where p.organisation_id = $1 and p.update_id = ${update_id})`;
};
export const getPoll = (tx: Tx, id: number, actor: Actor) =>
  tx.json(sql`select ${pollOf(sql`${id}`, { actor, now: tx.now() })}::text as json`) as Promise<Json>;

export const insertPoll = (tx: Tx, id: number, { options, ...poll }: NewPoll) =>
  tx.rows(sql`
    with poll as (
      insert into polls (organisation_id, update_id, is_multiple, is_anonymous, ends_at)
      values ($1, ${id}, ${poll.is_multiple ?? false}, ${poll.is_anonymous ?? false},
        ${poll.ends_at ?? null}::timestamptz)
      returning update_id)
    insert into poll_options (organisation_id, update_id, n, text)
    select $1, poll.update_id, o.n, o.text from poll, unnest(${options}::text[]) with ordinality o(text, n)`);

export interface PollRow {
  is_multiple: boolean;
  is_anonymous: boolean;
  is_over: boolean;
  sees_results: boolean;
  options_count: number;
}
const pollRow = (tx: Tx, id: number, actor: Actor, lock = trusted('')) =>
  tx.row<PollRow>(sql`
    select p.is_multiple, p.is_anonymous, ${isOver(tx.now())} as is_over,
      ${seesResults(actor, tx.now())} as sees_results,
      (select count(*) from poll_options o where o.organisation_id = $1 and o.update_id = p.update_id) as options_count
    from polls p where p.organisation_id = $1 and p.update_id = ${id} ${lock}`);
export const findPoll = (tx: Tx, id: number, actor: Actor) => pollRow(tx, id, actor);
/** Votes of one poll come one after the other: each counts what the ones before it left. */
export const lockPoll = (tx: Tx, id: number, actor: Actor) => pollRow(tx, id, actor, trusted('for update of p'));

/** Within the lock. */
export const replaceVotes = (tx: Tx, id: number, user_id: number, options: readonly number[]) =>
  tx.rows(sql`
    with former as (
      select v.n from poll_votes v where v.organisation_id = $1 and v.update_id = ${id} and v.user_id = ${user_id}),
    gone as (
      delete from poll_votes
      where organisation_id = $1 and update_id = ${id} and user_id = ${user_id} and n <> all(${options}::smallint[])
      returning n),
    added as (
      insert into poll_votes (organisation_id, update_id, user_id, n, created_at)
      select $1, ${id}, ${user_id}, o.n, ${tx.now()}::timestamptz
      from unnest(${options}::smallint[]) o(n) where o.n not in (select n from former)
      returning n),
    voters as (
      update polls set voters_count = voters_count + 1
      where organisation_id = $1 and update_id = ${id} and not exists (select from former))
    update poll_options o set votes_count = o.votes_count + c.change
    from (select n, -1 as change from gone union all select n, 1 from added) c
    where o.organisation_id = $1 and o.update_id = ${id} and o.n = c.n`);

/** A row a person, with all their answers. */
export const listVoters = (tx: Tx, id: number, option: number | undefined, { skip, take }: Paging) => {
  const isFirst = sql`not exists (
      select from poll_votes o
      where o.organisation_id = $1 and o.update_id = t.update_id and o.user_id = t.user_id and o.n < t.n)`;
  const where = [sql`t.update_id = ${id}`, option === undefined ? isFirst : sql`t.n = ${option}`];
  return listRows(
    tx,
    votes,
    { skip, take, ...everyRow, where },
    jsonOf(sql`
      select author.person as user, v.options, iso(v.created_at) as created_at
      from (
        select v.user_id, json_agg(v.n order by v.n) as options, min(v.created_at) as created_at
        from poll_votes v where v.organisation_id = $1 and v.update_id = ${id} and v.user_id = listed.id
        group by v.user_id) v cross join lateral ${trusted(authorOf('v.user_id'))}`),
  );
};

/** Before or after the update is deleted. */
export const deletePollsOf = async (tx: Tx, noun: ContentNoun, ids: readonly number[]) => {
  if (noun === 'update')
    await tx.rows(sql`delete from polls where organisation_id = $1 and update_id = any(${ids}::bigint[])`);
};

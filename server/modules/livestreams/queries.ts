import type { Query } from '../../kernel/contract/contract.ts';
import { idsOrAll } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { onDays } from '../../kernel/data/periods.ts';
import { cleared, hidden, kept } from '../../kernel/data/rows.ts';
import { given, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { audienceOf } from '../audiences/queries.ts';
import { listFamily, optional, type RowFamily, shownRows, updatedAt } from '../pictures/rows.ts';
import { knows } from '../spaces/access.ts';
import { personOf } from '../users/queries.ts';
import { seesLivestream } from './access.ts';
import type { livestreams } from './contract.ts';

const knownTo = (actor: Actor | undefined) => (actor ? knows(actor, trusted('s')) : trusted('true'));

export const livestreamFamily: RowFamily = {
  name: 'livestreams',
  columns: {
    title: cleared('text'),
    description: cleared('text', ''),
    host_id: hidden(kept('bigint')),
    started_at: optional('timestamptz'),
    ended_at: optional('timestamptz'),
    audience_type: hidden(kept('text', 'Global')),
    viewers_count: kept('integer', 0),
    is_recorded: kept('boolean', false),
    recording_status: kept('text', 'none'),
    video_url: hidden(cleared('text')),
  },
  list: { table: 'livestreams', at: 'created_at', id: 'id', newestFirst: true },
  shown: (_now, actor) => sql`${trusted(personOf('t.host_id'))} as host,
    ${audienceOf('livestream', knownTo(actor), true)} as audience,
    case when t.video_url is not null then json_build_object('url', t.video_url) end as video`,
  path: '/livestreams/',
  sees: seesLivestream,
};

const begins = trusted('coalesce(t.started_at, t.created_at)');
const ends = trusted('case when t.started_at is null then t.created_at else t.ended_at end');
export function listLivestreams(tx: Tx, actor: Actor, query: Query<typeof livestreams.endpoints.listLivestreams>) {
  const isFor = (spaces: readonly number[] | 'all') => sql`exists (
    select from livestream_audiences a join spaces s on s.organisation_id = $1 and s.id = a.space_id
    where a.organisation_id = $1 and a.livestream_id = t.id and ${knownTo(actor)}
      and ${spaces === 'all' ? trusted('true') : sql`s.id = any(${spaces}::bigint[])`})`;
  const where = [
    ...onDays(query, begins, ends),
    ...given(query.from, (from) => sql`(${ends} is null or ${ends} >= to_timestamp(${from}::float8))`),
    ...given(query.to, (to) => sql`${begins} <= to_timestamp(${to}::float8)`),
    ...given(query.is_global, (is_global) => sql`(t.audience_type = 'Global') = ${is_global}`),
    ...given(query.is_recorded, (is_recorded) => sql`t.is_recorded = ${is_recorded}`),
    ...given(idsOrAll(query.in_spaces), isFor),
  ];
  return listFamily(tx, livestreamFamily, query, where, actor);
}

/** Undefined: it has started already, or the actor does not see it. */
export const startLivestream = (tx: Tx, actor: Actor, id: number) =>
  change(tx, actor, id, sql`started_at = ${tx.now()}::timestamptz`, trusted('t.started_at is null'));
/** Undefined: it is not live, or the actor does not see it. */
export const endLivestream = (tx: Tx, actor: Actor, id: number) => {
  const ending = sql`ended_at = greatest(${tx.now()}::timestamptz, t.started_at), recording_status = case
    when t.is_recorded and t.recording_status = 'none' then 'processing' else t.recording_status end`;
  return change(tx, actor, id, ending, trusted('t.started_at is not null and t.ended_at is null'));
};
const change = (tx: Tx, actor: Actor, id: number, assignments: Sql, condition: Sql) =>
  tx.json(sql`
    with changed as (
      update livestreams t set ${assignments}, ${updatedAt(tx.now())}
      where t.organisation_id = $1 and t.id = ${id} and ${seesLivestream(actor)} and ${condition} returning t.*)
    ${shownRows(livestreamFamily, trusted('changed'), tx.now(), actor)}`);

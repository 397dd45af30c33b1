import { idsOrAll } from '../../kernel/contract/schema.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { onDays } from '../../kernel/data/periods.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { knows } from '../spaces/access.ts';
import { personOf } from '../users/queries.ts';
import { seesLivestream } from './access.ts';

const livestreamsList: Listing = { table: 'livestreams', at: 'created_at', id: 'id', newestFirst: true };

const shown = (actor: Actor, source: Sql) => sql`
  select row_to_json(r)::text as json from (
    select t.id, t.title, t.description, ${trusted(personOf('t.host_id'))} as host, iso(t.started_at) as started_at, iso(t.ended_at) as ended_at,
      (select json_build_object('is_global', t.audience_type = 'Global', 'spaces', coalesce(json_agg(s.id order by s.id) filter (where s.id is not null), '[]'),
         'teams', coalesce(json_agg(a.team_id order by a.team_id) filter (where a.team_id is not null), '[]'))
       from livestream_audiences a left join spaces s on s.organisation_id = $1 and s.id = a.space_id and ${knows(actor, trusted('s'))} where a.organisation_id = $1 and a.livestream_id = t.id) as audience,
      t.viewers_count, t.is_recorded, t.recording_status, case when t.video_url is not null then json_build_object('url', t.video_url) end as video,
      iso(t.created_at) as created_at, iso(t.updated_at) as updated_at, o.web_url || '/livestreams/' || t.id as permalink
    from ${source} t join organisations o on o.id = t.organisation_id) r`;

export interface LivestreamFilter {
  skip: number;
  take: number;
  startDate?: string;
  endDate?: string;
  from?: number;
  to?: number;
  in_spaces?: readonly string[];
  is_global?: boolean;
  is_recorded?: boolean;
}
const begins = trusted('coalesce(t.started_at, t.created_at)');
const ends = trusted('case when t.started_at is null then t.created_at else t.ended_at end');

export function listLivestreams(tx: Tx, actor: Actor, filter: LivestreamFilter) {
  const { skip, take, from, to, is_global, is_recorded } = filter;
  const spaces = idsOrAll(filter.in_spaces);
  const given = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  const among = spaces === 'all' || spaces === undefined ? trusted('true') : sql`s.id = any(${spaces}::bigint[])`;
  const where = [
    seesLivestream(actor),
    ...onDays(filter, begins, ends),
    ...given(from, sql`(${ends} is null or ${ends} >= to_timestamp(${from}::float8))`),
    ...given(to, sql`${begins} <= to_timestamp(${to}::float8)`),
    ...given(is_global, sql`(t.audience_type = 'Global') = ${is_global}`),
    ...given(is_recorded, sql`t.is_recorded = ${is_recorded}`),
    ...given(
      spaces,
      sql`exists (
        select from livestream_audiences a join spaces s on s.organisation_id = $1 and s.id = a.space_id
        where a.organisation_id = $1 and a.livestream_id = t.id and ${among} and ${knows(actor, trusted('s'))})`,
    ),
  ];
  return listRows(
    tx,
    livestreamsList,
    { skip, take, ...everyRow, where },
    shown(actor, sql`(select * from livestreams where organisation_id = $1 and id = listed.id)`),
  );
}
export const findLivestream = (tx: Tx, actor: Actor, id: number) =>
  tx.json(
    shown(
      actor,
      sql`(select * from livestreams t where t.organisation_id = $1 and t.id = ${id} and ${seesLivestream(actor)})`,
    ),
  );
/** As written a moment ago by the same request. */
export const getLivestream = (tx: Tx, actor: Actor, id: number) =>
  tx.json(shown(actor, sql`(select * from livestreams where organisation_id = $1 and id = ${id})`)) as Promise<Json>;

export interface LivestreamFields {
  title: string;
  description?: string | undefined;
  host_id?: number | undefined;
  started_at?: string | null | undefined;
  ended_at?: string | null | undefined;
  audience_type?: string | undefined;
  viewers_count?: number | undefined;
  is_recorded?: boolean | undefined;
  recording_status?: string | undefined;
  video?: { url: string } | null | undefined;
}
export const insertLivestream = async (
  tx: Tx,
  stream: LivestreamFields & { host_id: number; created_at?: string | undefined },
) =>
  (
    await tx.row<{ id: number }>(sql`
    insert into livestreams (organisation_id, title, description, host_id, started_at, ended_at, audience_type, viewers_count, is_recorded, recording_status, video_url, created_at, updated_at)
    values ($1, ${stream.title}, ${stream.description ?? ''}, ${stream.host_id}, ${stream.started_at ?? null}, ${stream.ended_at ?? null}, ${stream.audience_type ?? 'Global'}, ${stream.viewers_count ?? 0},
      ${stream.is_recorded ?? false}, ${stream.recording_status ?? 'none'}, ${stream.video?.url ?? null}, ${stream.created_at ?? tx.now()}, ${tx.now()}) returning id`)
  )?.id ?? 0;

/** Returns whether the actor sees such a livestream. `undefined` keeps all but description and video. */
export const updateLivestream = (tx: Tx, actor: Actor, id: number, stream: LivestreamFields) => {
  const kept = (column: string, value: unknown) => (value === undefined ? trusted(`t.${column}`) : sql`${value}`);
  return change(
    tx,
    actor,
    id,
    sql`title = ${stream.title}, description = ${stream.description ?? ''}, video_url = ${stream.video?.url ?? null}, host_id = ${kept('host_id', stream.host_id)}, started_at = ${kept('started_at', stream.started_at)},
      ended_at = ${kept('ended_at', stream.ended_at)}, audience_type = ${kept('audience_type', stream.audience_type)}, viewers_count = ${kept('viewers_count', stream.viewers_count)},
      is_recorded = ${kept('is_recorded', stream.is_recorded)}, recording_status = ${kept('recording_status', stream.recording_status)}`,
  );
};
/** False: it has started already, or the actor does not see it. */
export const startLivestream = (tx: Tx, actor: Actor, id: number) =>
  change(tx, actor, id, sql`started_at = ${tx.now()}::timestamptz`, sql`t.started_at is null`);
/** False: it is not live, or the actor does not see it. */
export const endLivestream = (tx: Tx, actor: Actor, id: number) =>
  change(
    tx,
    actor,
    id,
    sql`ended_at = greatest(${tx.now()}::timestamptz, t.started_at), recording_status = case when t.is_recorded and t.recording_status = 'none' then 'processing' else t.recording_status end`,
    sql`t.started_at is not null and t.ended_at is null`,
  );
const change = async (tx: Tx, actor: Actor, id: number, assignments: Sql, condition: Sql = trusted('true')) =>
  (
    await tx.rows(sql`
    update livestreams t set ${assignments}, updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond')
    where t.organisation_id = $1 and t.id = ${id} and ${seesLivestream(actor)} and ${condition} returning t.id`)
  ).length > 0;

export const deleteLivestream = (tx: Tx, actor: Actor, id: number) =>
  tx.json(sql`
    delete from livestreams t where t.organisation_id = $1 and t.id = ${id} and ${seesLivestream(actor)} returning json_build_object('id', t.id)::text as json`);

import type { Key } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, listRows } from '../../kernel/data/listing.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { fileOf, filesOf } from '../assets/queries.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { campaignOf } from '../campaigns/queries.ts';
import { edits, isKey, sees, state } from '../content/access.ts';
import { plurals } from '../content/contract.ts';
import {
  insertedAudience,
  type PostedFilter,
  personOf,
  postedColumns,
  postedList,
  postedSlice,
  reachOf,
  recounted,
} from '../content/queries.ts';
import { goalOf } from '../goals/queries.ts';
import * as events from './events.ts';

export type PostNoun = 'update' | 'kudos';
export type Approval = 'pending' | 'approved' | 'rejected';

const postEvents = {
  update: { published: events.updatePublished, updated: events.updateUpdated, deleted: events.updateDeleted },
  kudos: { published: events.kudosPublished, updated: events.kudosUpdated, deleted: events.kudosDeleted },
};

const table = (noun: PostNoun) => trusted(plurals[noun]);
const own = (noun: PostNoun) => trusted(`${noun}_id`);

const recipients = trusted(`, json_build_object(
  'users', (select coalesce(json_agg(${personOf('r.user_id')} order by r.id), '[]') from kudos_recipients r where r.organisation_id = $1 and r.kudos_id = t.id and r.user_id is not null),
  'teams', (select coalesce(json_agg(json_build_object('id', g.id, 'external_id', g.external_id, 'name', g.name, 'avatar_url', avatar_url(o.web_url, g.photo_key, g.name)) order by r.id), '[]')
            from kudos_recipients r join teams g on g.organisation_id = $1 and g.id = r.team_id join organisations o on o.id = $1 where r.organisation_id = $1 and r.kudos_id = t.id)) as recipients, t.badge_id`);

const columns = (noun: PostNoun, now: string, actor: Actor | undefined, translated: boolean) =>
  sql`${trusted(`t.id, t.external_id, t.external_id as legacy_system_id,
  ${translated ? 'coalesce(tr.text, t.text) as text, coalesce(tr.html, t.html) as html, coalesce(tr.language, t.language) as language' : 't.text, t.html, t.language'},
  ${personOf('t.creator_id')} as creator, case when t.shared_id is not null then json_build_object('type', t.shared_type, 'id', t.shared_id, 'permalink',
    (select o.web_url from organisations o where o.id = $1) || case t.shared_type ${Object.entries(plurals)
      .map(([shared, plural]) => `when '${shared}' then '/${plural}/'`)
      .join(' ')} end || t.shared_id) end as shared_post,
  t.requires_acknowledgement, iso(t.acknowledgement_due_at) as acknowledgement_due_at, t.content_version`)}${noun === 'kudos' ? recipients : nothing}, ${goalOf('t.goal_id')} as goal, ${campaignOf(noun, now)} as campaign,
  ${filesOf(noun, 'gallery', now)} as gallery, ${filesOf(noun, 'attachment', now)} as attachments, ${fileOf(noun, 'video', now)} as video, ${postedColumns(noun, actor)}`;

/** Rows of `source` (alias `t`) as `json` text. content_approval is there only where the organisation has approvals. */
const shown = (noun: PostNoun, now: string, source: Sql, actor?: Actor, language?: string) => {
  const translation =
    language === undefined
      ? nothing
      : sql` left join ${trusted(`${noun}_translations`)} tr on tr.organisation_id = $1 and tr.${own(noun)} = t.id and lower(tr.language) = lower(${language})`;
  return sql`
    select t.id, case when (select o.content_approvals from organisations o where o.id = $1)
      then left(post.json, -1) || ',"content_approval":' || json_build_object('status', t.approval, 'reviewed_by', t.reviewed_by, 'reviewed_at', iso(t.reviewed_at)) || '}' else post.json end as json,
      t.list_bucket = ${trusted(String(state.published))} as is_published, t.list_class <= 1 as is_public,
      case when t.audience_type = 'spaces' then (select case when count(*) = 1 then min(a.space_id) end from ${trusted(`${noun}_audiences`)} a where a.organisation_id = $1 and a.${own(noun)} = t.id) end as space_id
    from ${source} t${translation} cross join lateral (select row_to_json(r)::text as json from (select ${columns(noun, now, actor, language !== undefined)}) r) post`;
};
/** CTE `shown` for an event, from a CTE of rows. What waits for approval, or did not get it, is nobody's news. */
const announcement = (noun: PostNoun, now: string, source: string) => sql`
  shown as (select p.json::json as json, p.is_public, p.space_id from (${shown(noun, now, trusted(source))}) p where p.is_published)`;

export const listPosts = (
  tx: Tx,
  actor: Actor,
  noun: PostNoun,
  query: PostedFilter & { language?: string; content_approval?: Approval },
) => {
  const { language, content_approval } = query;
  const isWaiting = content_approval !== undefined && content_approval !== 'approved';
  return listRows(
    tx,
    postedList(noun),
    isWaiting
      ? postedSlice(
          actor,
          noun,
          query,
          [state.unpublished],
          [sql`t.approval = ${content_approval}`, edits(actor, noun)],
        )
      : postedSlice(actor, noun, query, [state.published]),
    shown(
      noun,
      tx.now(),
      sql`(select * from ${table(noun)} where organisation_id = $1 and id = listed.id)`,
      actor,
      language,
    ),
  );
};

export const findPost = (tx: Tx, actor: Actor, noun: PostNoun, key: Key, language?: string) => {
  const source = sql`(select * from ${table(noun)} t where t.organisation_id = $1 and ${isKey(key)} and ${sees(actor, noun)})`;
  return tx.json(sql`
    select left(p.json, -1) || ',"languages":' || (
      select coalesce(json_agg(x.language order by x.language), '[]') from ${trusted(`${noun}_translations`)} x where x.organisation_id = $1 and x.${own(noun)} = p.id) || '}' as json
    from (${shown(noun, tx.now(), source, actor, language)}) p`);
};
/** As written a moment ago by the same request. */
export const getPost = (tx: Tx, actor: Actor, noun: PostNoun, id: number) =>
  tx.json(
    sql`select p.json from (${shown(noun, tx.now(), sql`(select * from ${table(noun)} where organisation_id = $1 and id = ${id})`, actor)}) p`,
  ) as Promise<Json>;

export interface Recipients {
  users: readonly number[];
  teams: readonly number[];
}
export interface PostFields {
  text: string;
  html: string;
  external_id?: string | null | undefined;
  language?: string | null | undefined;
  goal_id?: number | null | undefined;
  badge_id?: number | null | undefined;
  shared_post?: { type: string; id: number } | null | undefined;
  requires_acknowledgement?: boolean | undefined;
  acknowledgement_due_at?: string | null | undefined;
}
export interface NewPostRow extends PostFields {
  creator_id: number;
  created_at?: string | undefined;
  audience: AudienceTargets;
  approval: Approval;
  recipients?: Recipients | undefined;
}
const insertedRecipients = (source: string, { users, teams }: Recipients) => sql`
  insert into kudos_recipients (organisation_id, kudos_id, user_id, team_id)
  select $1, t.id, w.user_id, w.team_id from ${trusted(source)} t, (
    select u as user_id, null::bigint as team_id, n from unnest(${[...new Set(users)]}::bigint[]) with ordinality x(u, n)
    union all select null, g, n from unnest(${[...new Set(teams)]}::bigint[]) with ordinality x(g, n) order by n) w`;

/** The row with its audience and recipients; nothing is announced yet. */
export const insertPost = async (tx: Tx, noun: PostNoun, post: NewPostRow): Promise<number> => {
  const at = tx.now();
  const [badge, badge_id] =
    noun === 'kudos' ? [trusted(', badge_id'), sql`, ${post.badge_id ?? null}`] : [nothing, nothing];
  const row = await tx.row<{ id: number }>(sql`
    with added as (
      insert into ${table(noun)} (organisation_id, external_id, text, html, language, audience_type, creator_id, goal_id, shared_type, shared_id, requires_acknowledgement, acknowledgement_due_at, approval,
        created_at, updated_at, list_class${badge})
      values ($1, ${post.external_id ?? null}, ${post.text}, ${post.html}, ${post.language ?? null}, ${post.audience.type}, ${post.creator_id}, ${post.goal_id ?? null}, ${post.shared_post?.type ?? null}, ${post.shared_post?.id ?? null},
        ${post.requires_acknowledgement ?? false}, ${post.acknowledgement_due_at ?? null}, ${post.approval}, ${post.created_at ?? at}, ${at}, ${reachOf(post.audience)}${badge_id})
      returning *),
    audience as (${insertedAudience(noun, 'added', post.audience)}),
    ${post.recipients ? sql`recipients as (${insertedRecipients('added', post.recipients)}),` : nothing}
    change as (${counted(postedList(noun), 'added', 1)})
    select id from added`);
  return row?.id ?? 0;
};

/** Emits the event with the post as it is now; answers what the actor sees of it. */
export const announce = async (
  tx: Tx,
  actor: Actor,
  noun: PostNoun,
  id: number,
  what: keyof (typeof postEvents)['update'],
) => {
  const event: Event = postEvents[noun][what];
  const at = tx.now();
  const found = await tx.row<{ json: Json }>(sql`
    with post as (select * from ${table(noun)} where organisation_id = $1 and id = ${id}), ${announcement(noun, at, 'post')},
    event as (${emitted(event, 'shown', at)})
    select p.json from (${shown(noun, at, trusted('post'), actor)}) p`);
  return found?.json as Json;
};

/** Returns whether anything changed. Same values again: nothing is written. `undefined` keeps what identifies the post, and its audience. */
export const updatePost = async (
  tx: Tx,
  noun: PostNoun,
  id: number,
  post: PostFields,
  audience: AudienceTargets | undefined,
) => {
  const kudos = noun === 'kudos';
  const row = await tx.row<{ id: number }>(sql`
    with was as (select * from ${table(noun)} where organisation_id = $1 and id = ${id} for update),
    wanted as (
      select was.id, ${post.text}::text as text, ${post.html}::text as html, coalesce(${post.external_id ?? null}::text, was.external_id) as external_id, coalesce(${post.language ?? null}::text, was.language) as language,
        ${post.goal_id ?? null}::bigint as goal_id, ${kudos ? sql`${post.badge_id ?? null}::bigint` : trusted('null::bigint')} as badge_id, ${post.shared_post?.type ?? null}::text as shared_type, ${post.shared_post?.id ?? null}::bigint as shared_id,
        ${post.requires_acknowledgement ?? false}::boolean as requires_acknowledgement, ${post.acknowledgement_due_at ?? null}::timestamptz as acknowledgement_due_at,
        ${audience ? sql`${audience.type}::text` : trusted('was.audience_type')} as audience_type, ${audience ? reachOf(audience) : trusted('was.list_class')}::smallint as list_class
      from was),
    changed as (
      update ${table(noun)} t set text = w.text, html = w.html, external_id = w.external_id, language = w.language, goal_id = w.goal_id, shared_type = w.shared_type, shared_id = w.shared_id,
        requires_acknowledgement = w.requires_acknowledgement, acknowledgement_due_at = w.acknowledgement_due_at, audience_type = w.audience_type, list_class = w.list_class${kudos ? trusted(', badge_id = w.badge_id') : nothing},
        content_version = t.content_version + case when (t.text, t.html) is distinct from (w.text, w.html) then 1 else 0 end,
        approval = case t.approval when 'rejected' then 'pending' else t.approval end, reviewed_by = case t.approval when 'approved' then t.reviewed_by end, reviewed_at = case t.approval when 'approved' then t.reviewed_at end,
        updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from wanted w where t.organisation_id = $1 and t.id = w.id
        and (t.text, t.html, t.external_id, t.language, t.goal_id, t.shared_type, t.shared_id, t.requires_acknowledgement, t.acknowledgement_due_at, t.audience_type, t.list_class${kudos ? trusted(', t.badge_id') : nothing})
          is distinct from (w.text, w.html, w.external_id, w.language, w.goal_id, w.shared_type, w.shared_id, w.requires_acknowledgement, w.acknowledgement_due_at, w.audience_type, w.list_class${kudos ? trusted(', w.badge_id') : nothing})
      returning t.*),
    ${recounted(postedList(noun))}
    select id from changed`);
  return row !== undefined;
};

/** Marks the post as changed when something that belongs to it did. */
export const touchPost = (tx: Tx, noun: PostNoun, id: number) =>
  tx.rows(sql`
    update ${table(noun)} t set updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
    where t.organisation_id = $1 and t.id = ${id}`);

/** Returns whether there are other recipients now. */
export const replaceRecipients = async (tx: Tx, kudos_id: number, recipients: Recipients) => {
  const changed = await tx.rows(sql`
    with gone as (
      delete from kudos_recipients where organisation_id = $1 and kudos_id = ${kudos_id} and not (coalesce(user_id = any(${recipients.users}::bigint[]), false) or coalesce(team_id = any(${recipients.teams}::bigint[]), false)) returning id),
    post as (select ${kudos_id}::bigint as id),
    added as (${insertedRecipients('post', recipients)} on conflict do nothing returning id)
    select id from gone union all select id from added`);
  return changed.length > 0;
};

/** Returns whether the translation is new or other than before. */
export const upsertTranslation = async (
  tx: Tx,
  noun: PostNoun,
  id: number,
  language: string,
  { text, html }: { text: string; html: string },
) =>
  (
    await tx.rows(sql`
    with written as (
      insert into ${trusted(`${noun}_translations`)} as x (organisation_id, ${own(noun)}, language, text, html, updated_at) values ($1, ${id}, ${language}, ${text}, ${html}, ${tx.now()})
      on conflict (organisation_id, ${own(noun)}, language) do update set text = excluded.text, html = excluded.html, updated_at = excluded.updated_at
      where (x.text, x.html) is distinct from (excluded.text, excluded.html) returning x.${own(noun)} as id)
    update ${table(noun)} t set updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
    from written where t.organisation_id = $1 and t.id = written.id returning t.id`)
  ).length > 0;

/** False: it does not wait for approval. */
export const reviewPost = async (tx: Tx, noun: PostNoun, id: number, approval: Approval, reviewer_id: number) => {
  const row = await tx.row(sql`
    with was as (select * from ${table(noun)} where organisation_id = $1 and id = ${id} and approval = 'pending' for update),
    changed as (
      update ${table(noun)} t set approval = ${approval}, reviewed_by = ${reviewer_id}, reviewed_at = ${tx.now()}, updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    ${recounted(postedList(noun))}
    select id from changed`);
  return row !== undefined;
};

/** Does this person's post to these spaces wait for somebody's approval? */
export const needsApproval = async (tx: Tx, user_id: number, spaces: readonly number[]) =>
  (
    await tx.row<{ needed: boolean }>(sql`
    select o.content_approvals and not exists (
      select from space_members m where m.organisation_id = $1 and m.user_id = ${user_id} and m.space_id = any(${spaces}::bigint[]) and m.role in ('owner', 'admin', 'moderator')) as needed
    from organisations o where o.id = $1`)
  )?.needed ?? false;

/** Is it approved, for spaces where this person's posts wait for somebody's approval? */
export const isApprovedByOthers = async (tx: Tx, noun: PostNoun, id: number, user_id: number) => {
  const row = await tx.row<{ spaces: number[] }>(sql`
    select array(select a.space_id from ${trusted(`${noun}_audiences`)} a where a.organisation_id = $1 and a.${own(noun)} = t.id) as spaces
    from ${table(noun)} t where t.organisation_id = $1 and t.id = ${id} and t.approval = 'approved' and t.audience_type = 'spaces'`);
  return row !== undefined && (await needsApproval(tx, user_id, row.spaces));
};

/** People whom kudos thank by name, and the badge they get; nobody thanks themselves into one. */
export const findThanked = (tx: Tx, kudos_id: number) =>
  tx.row<{ badge_id: number | null; user_ids: number[] }>(sql`
    select k.badge_id, array(select r.user_id from kudos_recipients r where r.organisation_id = $1 and r.kudos_id = k.id and r.user_id <> k.creator_id) as user_ids
    from kudos k where k.organisation_id = $1 and k.id = ${kudos_id}`);

/** Returns whether there was a post to delete. */
export const deletePost = async (tx: Tx, noun: PostNoun, id: number) => {
  const at = tx.now();
  const rows = await tx.rows(sql`
    with doomed as (select * from ${table(noun)} where organisation_id = $1 and id = ${id} for update),
    ${announcement(noun, at, 'doomed')},
    gone as (delete from ${table(noun)} t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    event as (${emitted(postEvents[noun].deleted, '(select shown.* from shown where exists (select from gone))', at)}),
    change as (${counted(postedList(noun), 'gone', -1)}),
    tombstone as (${tombstones(noun, id, 'gone', at)})
    select id from gone`);
  return rows.length > 0;
};

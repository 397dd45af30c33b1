import type { Key } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, type Listing, listed, pageOf, type Row } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { emitted } from '../../kernel/delivery/outbox.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { signedHtml } from '../assets/queries.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { audienceOf } from '../audiences/queries.ts';
import { seesInside } from '../spaces/access.ts';
import { classesFor, inVisibleSpace, pageIs, seesPage, seesRestricted } from './access.ts';
import { pageCreated, pageDeleted, pageUpdated } from './events.ts';

/** One bucket a space, 0 for global pages. Class: 1 builder edition + 2 draft + 4 limited audience. */
export const pagesList: Listing = { table: 'pages', at: 'created_at', id: 'id', newestFirst: true };

/** A page as the interface shows it; needs `t`, and `tr` with the wanted translation where there is one. */
const columnsIn = ({ language, sign_url }: Reading, now: string) => {
  const translated = language !== undefined;
  const html = translated ? 'coalesce(tr.html_content, t.html_content)' : 't.html_content';
  return sql`${trusted(`t.id, t.external_id,
  case when t.parent_id is not null then (select up.external_id from pages up where up.organisation_id = $1 and up.id = t.parent_id) end as external_parent_id, t.parent_id, t.space_id,
  ${translated ? 'coalesce(tr.title, t.title) as title, coalesce(tr.subtitle, t.subtitle) as subtitle, coalesce(tr.language, t.language) as language' : 't.title, t.subtitle, t.language'}`)},
  ${sign_url ? signedHtml(html, 'page', now) : trusted(html)} as html_content, ${trusted(`t.slug, t.page_edition, t.position, t.is_draft::int as is_draft, t.is_standalone::int as is_standalone, t.is_sidebar_enabled::int as is_sidebar_enabled`)},
  ${audienceOf('page')} as audience, ${trusted(`
  (select json_build_object('id', c.id, 'name', c.name, 'email', c.email, 'job_title', c.job_title) from users c where c.organisation_id = $1 and c.id = t.creator_id) as creator,
  iso(t.created_at) as created_at, iso(t.updated_at) as updated_at, t.sequence, (select o.web_url from organisations o where o.id = $1) || '/pages/' || t.id as permalink`)}`;
};
/** How a page is read: in a language, with signed addresses of its pictures. */
export interface Reading {
  language?: string | undefined;
  sign_url?: boolean | undefined;
}
const translation = (language: string | undefined) =>
  language === undefined
    ? trusted('')
    : sql` left join page_translations tr on tr.organisation_id = $1 and tr.page_id = t.id and lower(tr.language) = lower(${language})`;
const columns = columnsIn({}, '');

const isPublic = trusted(
  `not t.is_draft and t.audience_type = 'Global' and (t.space_id is null or exists (select from spaces s where s.organisation_id = $1 and s.id = t.space_id and s.visibility = 'public'))`,
);
export const publicPages: PublicNow = (ids) =>
  sql`select t.id from pages t where t.organisation_id = $1 and t.id = any(${ids}) and ${isPublic}`;

/** CTE `shown` from a CTE of page rows. A page is public when everybody in the organisation sees it now. */
const shown = (source: string) => sql`
  shown as (
    select (select row_to_json(r) from (select ${columns}) r) as json, t.space_id,
      ${isPublic} as is_public
    from ${trusted(source)} t)`;

export interface PageFilter extends Reading {
  skip: number;
  take: number;
  space_id?: number | undefined;
  /** Spaces to list from, or every one that the actor sees. */
  space_ids?: readonly number[] | 'all' | undefined;
  page_edition?: 'classic' | 'builder' | undefined;
  creator_id?: number | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  updated_after?: string | undefined;
  parent_id?: number | undefined;
}
/** Undefined: the space does not exist for this actor. */
export async function listPages(tx: Tx, actor: Actor, filter: PageFilter) {
  const { space_ids, page_edition, creator_id, created_after, created_before, updated_after, parent_id, language } =
    filter;
  const given = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  const where = [
    ...given(creator_id, sql`t.creator_id = ${creator_id}`),
    ...given(created_after, sql`t.created_at > ${created_after}::timestamptz`),
    ...given(created_before, sql`t.created_at < ${created_before}::timestamptz`),
    ...given(updated_after, sql`t.updated_at > ${updated_after}::timestamptz`),
    ...given(parent_id, sql`t.parent_id = ${parent_id}`),
    ...(space_ids === undefined
      ? []
      : [
          sql`t.space_id is not null`,
          inVisibleSpace(actor),
          ...(space_ids === 'all' ? [] : [sql`t.list_bucket = any(${space_ids}::bigint[])`]),
        ]),
  ];
  const bucket = space_ids === undefined ? (filter.space_id ?? 0) : undefined;
  const inEdition = (n: number) => page_edition === undefined || (n & 1) === (page_edition === 'builder' ? 1 : 0);
  const { open, unsure } = classesFor(actor, bucket);
  const looked = trusted(unsure.filter(inEdition).join(', '));
  const also =
    unsure.length === 0
      ? undefined
      : sql`t.list_class >= 2 and t.list_class in (${looked}) and ${seesRestricted(actor)}`;
  const seen = bucket
    ? sql`exists (select from spaces s where s.organisation_id = $1 and s.id = ${bucket} and ${seesInside(actor, trusted('s'))})`
    : trusted('true');
  const rows = await tx.rows<Row & { seen: boolean }>(sql`
    with ${listed(pagesList, { skip: filter.skip, take: filter.take, bucket, classes: open.filter(inEdition), also, where })}
    select listed.total, ${seen} as seen, r.json from listed left join lateral (
      select row_to_json(r)::text as json from (select ${columnsIn(filter, tx.now())} from pages t${translation(language)} where t.organisation_id = $1 and t.id = listed.id) r) r on true
    order by listed.n`);
  return rows[0]?.seen === false ? undefined : pageOf(rows);
}

export const findPage = (tx: Tx, actor: Actor, key: Key, reading: Reading) =>
  tx.json(sql`
    select row_to_json(r)::text as json from (
      select ${columnsIn(reading, tx.now())},
        (select coalesce(json_agg(json_build_object('id', c.id, 'title', c.title, 'position', c.position) order by c.position, c.id), '[]')
         from (select t.* from pages up join pages t on t.organisation_id = $1 and t.parent_id = up.id where up.organisation_id = $1 and up.id = own_id and ${seesRestricted(actor)} limit 1000) c) as children,
        (select coalesce(json_agg(x.language order by x.language), '[]') from page_translations x where x.organisation_id = $1 and x.page_id = t.id) as languages
      from (select *, id as own_id from pages t where t.organisation_id = $1 and ${pageIs(key)} and ${seesPage(actor)}) t${translation(reading.language)}) r`);

export interface PageFields {
  title: string;
  html_content: string;
  slug: string;
  subtitle?: string | undefined;
  space_id?: number | null | undefined;
  is_draft?: boolean | undefined;
  is_standalone?: boolean | undefined;
  is_sidebar_enabled?: boolean | undefined;
  language?: string | undefined;
  external_id?: number | null | undefined;
  parent_id?: number | null | undefined;
  position?: number | undefined;
  page_edition?: string | undefined;
}
export interface NewPageRow extends PageFields {
  creator_id: number;
  created_at?: string | undefined;
  audience: AudienceTargets;
}
const insertPageRow = (page: NewPageRow, at: string) => sql`
  insert into pages (organisation_id, external_id, space_id, parent_id, position, title, subtitle, html_content, language, slug, page_edition, is_draft, is_standalone, is_sidebar_enabled,
    audience_type, creator_id, created_at, updated_at)
  values ($1, ${page.external_id ?? null}, ${page.space_id ?? null}, ${page.parent_id ?? null}, ${page.position ?? 0}, ${page.title}, ${page.subtitle ?? ''}, ${page.html_content}, ${page.language ?? null}, ${page.slug},
    ${page.page_edition ?? 'classic'}, ${page.is_draft ?? false}, ${page.is_standalone ?? false}, ${page.is_sidebar_enabled ?? false}, ${page.audience.type}, ${page.creator_id}, ${page.created_at ?? at}, ${at})
  returning *`;

/** Page, event and count in one statement. */
export const insertPage = (tx: Tx, page: NewPageRow) => {
  const at = tx.now();
  return tx.json(sql`
    with added as (${insertPageRow(page, at)}),
    ${shown('added')},
    event as (${emitted(pageCreated, 'shown', at)}),
    change as (${counted(pagesList, 'added', 1)})
    select json::text from shown`) as Promise<Json>;
};

/** For a limited audience, whose rows must stand before the event can show them. */
export const insertUnannouncedPage = async (tx: Tx, page: NewPageRow) =>
  (
    await tx.row<{ id: number }>(
      sql`with added as (${insertPageRow(page, tx.now())}), change as (${counted(pagesList, 'added', 1)}) select id from added`,
    )
  )?.id ?? 0;
export const announceCreated = (tx: Tx, id: number) => announce(tx, id, pageCreated);
export const announceUpdated = (tx: Tx, id: number) => announce(tx, id, pageUpdated);
const announce = (tx: Tx, id: number, event: typeof pageCreated) =>
  tx.json(sql`
    with page as (select * from pages where organisation_id = $1 and id = ${id}), ${shown('page')},
    event as (${emitted(event, 'shown', tx.now())})
    select json::text from shown`) as Promise<Json>;
export const getPage = (tx: Tx, id: number) =>
  tx.json(
    sql`select row_to_json(r)::text as json from (select ${columns} from pages t where t.organisation_id = $1 and t.id = ${id}) r`,
  ) as Promise<Json>;

/** Returns whether anything changed. Same values again: nothing is written. `undefined` keeps identifiers, parent, position and edition. */
export const updatePage = async (tx: Tx, id: number, page: PageFields, audience_type: string | undefined) => {
  const kept = <T>(value: T | undefined) => value ?? null;
  const [changed] = await tx.rows<{ id: number; moved: boolean }>(sql`
    with was as (select * from pages where organisation_id = $1 and id = ${id} for update),
    wanted as (
      select was.id, ${page.title}::text as title, ${page.subtitle ?? ''}::text as subtitle, ${page.html_content}::text as html_content, ${page.slug}::text as slug, ${page.space_id ?? null}::bigint as space_id,
        ${page.is_draft ?? false}::boolean as is_draft, ${page.is_standalone ?? false}::boolean as is_standalone, ${page.is_sidebar_enabled ?? false}::boolean as is_sidebar_enabled,
        coalesce(${kept(page.language)}::text, was.language) as language, coalesce(${kept(page.external_id)}::bigint, was.external_id) as external_id,
        case when ${page.parent_id !== undefined} then ${kept(page.parent_id)}::bigint when was.space_id is not distinct from ${page.space_id ?? null}::bigint then was.parent_id end as parent_id,
        coalesce(${kept(page.position)}::int, was.position) as position, coalesce(${kept(page.page_edition)}::text, was.page_edition) as page_edition,
        coalesce(${kept(audience_type)}::text, was.audience_type) as audience_type
      from was),
    changed as (
      update pages t set title = w.title, subtitle = w.subtitle, html_content = w.html_content, slug = w.slug, space_id = w.space_id, is_draft = w.is_draft, is_standalone = w.is_standalone,
        is_sidebar_enabled = w.is_sidebar_enabled, language = w.language, external_id = w.external_id, parent_id = w.parent_id, position = w.position, page_edition = w.page_edition, audience_type = w.audience_type,
        updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from wanted w where t.organisation_id = $1 and t.id = w.id
        and (t.title, t.subtitle, t.html_content, t.slug, t.space_id, t.is_draft, t.is_standalone, t.is_sidebar_enabled, t.language, t.external_id, t.parent_id, t.position, t.page_edition, t.audience_type)
          is distinct from (w.title, w.subtitle, w.html_content, w.slug, w.space_id, w.is_draft, w.is_standalone, w.is_sidebar_enabled, w.language, w.external_id, w.parent_id, w.position, w.page_edition, w.audience_type)
      returning t.*),
    key as (select (was.list_bucket, was.list_class) is distinct from (changed.list_bucket, changed.list_class) as differs, was.list_bucket <> changed.list_bucket as moved from was, changed),
    minus as (${counted(pagesList, '(select was.* from was, key where differs)', -1)}),
    plus as (${counted(pagesList, '(select changed.* from changed, key where differs)', 1)})
    select changed.id, key.moved from changed, key`);
  return changed;
};

/** Descendants follow a page into another space. */
export const moveDescendants = (tx: Tx, id: number, space_id: number | null) =>
  tx.rows(sql`
    with recursive below as (
      select id from pages where organisation_id = $1 and parent_id = ${id}
      union select t.id from below join pages t on t.organisation_id = $1 and t.parent_id = below.id),
    was as (select t.* from pages t where t.organisation_id = $1 and t.id in (select id from below) for update),
    changed as (
      update pages t set space_id = ${space_id}, updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    ${shown('changed')},
    event as (${emitted(pageUpdated, 'shown', tx.now())}),
    minus as (${counted(pagesList, 'was', -1)})
    ${counted(pagesList, 'changed', 1)}`);

export interface Translation {
  language: string;
  title: string;
  subtitle: string;
  html_content: string;
}
/** Returns whether the translation is new or other than before. */
export const upsertTranslation = async (
  tx: Tx,
  page_id: number,
  { language, title, subtitle, html_content }: Translation,
) =>
  (
    await tx.rows(sql`
    with written as (
      insert into page_translations as x (organisation_id, page_id, language, title, subtitle, html_content, updated_at)
      values ($1, ${page_id}, ${language}, ${title}, ${subtitle}, ${html_content}, ${tx.now()})
      on conflict (organisation_id, page_id, language) do update set title = excluded.title, subtitle = excluded.subtitle, html_content = excluded.html_content, updated_at = excluded.updated_at
      where (x.title, x.subtitle, x.html_content) is distinct from (excluded.title, excluded.subtitle, excluded.html_content) returning x.page_id)
    update pages t set updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
    from written where t.organisation_id = $1 and t.id = written.page_id returning t.id`)
  ).length > 0;

/** The parent must be in the same space (null: among the global pages). */
export const findParent = async (tx: Tx, space_id: number | null, by: { id: number } | { external_id: number }) =>
  (
    await tx.row<{ id: number }>(sql`
    select id from pages where organisation_id = $1 and ${'id' in by ? sql`id = ${by.id}` : sql`external_id = ${by.external_id}`} and list_bucket = ${space_id ?? 0}`)
  )?.id;
export const isBelow = async (tx: Tx, id: number, parent_id: number) =>
  (await tx.row(sql`
    with recursive up as (
      select id, parent_id from pages where organisation_id = $1 and id = ${parent_id}
      union select t.id, t.parent_id from up join pages t on t.organisation_id = $1 and t.id = up.parent_id)
    select id from up where id = ${id}`)) !== undefined;
export const hasChildren = async (tx: Tx, id: number) =>
  (await tx.row(sql`select id from pages where organisation_id = $1 and parent_id = ${id} limit 1`)) !== undefined;
/** The page with all below it; one event each. Returns their ids: none when there was no page to delete. */
export const deletePages = async (tx: Tx, id: number): Promise<number[]> => {
  const at = tx.now();
  const gone = await tx.rows<{ id: number }>(sql`
    with recursive tree as (
      select id from pages where organisation_id = $1 and id = ${id}
      union select t.id from tree join pages t on t.organisation_id = $1 and t.parent_id = tree.id),
    doomed as (select t.* from pages t where t.organisation_id = $1 and t.id in (select id from tree) order by t.id for update),
    ${shown('doomed')},
    gone as (delete from pages t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    event as (${emitted(pageDeleted, '(select shown.* from shown where exists (select from gone))', at)}),
    change as (${counted(pagesList, 'gone', -1)}),
    tombstone as (${tombstones('page', id, 'gone', at)})
    select id from gone`);
  return gone.map((page) => page.id);
};

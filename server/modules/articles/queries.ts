import type { Key } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, listRows } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { emitted } from '../../kernel/delivery/outbox.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { edits, isKey, sees, state } from '../content/access.ts';
import { insertedAudience, type PostedFilter, postedSlice, reachOf, recounted } from '../content/queries.ts';
import { articleDeleted, articleUpdated } from './events.ts';
import type { Schedule, StoredSchedule } from './schedule.ts';
import { announcement, articlesList, type Reading, shown, touched } from './shown.ts';

export { archiveArticlesOf } from './states.ts';

export type ListedState = 'published' | 'archived' | 'all' | 'draft' | 'scheduled';
export function listArticles(
  tx: Tx,
  actor: Actor,
  query: PostedFilter & { language?: string; sign_url?: boolean; has_acknowledgement?: boolean; state?: ListedState },
) {
  const { language, sign_url, has_acknowledgement } = query;
  const [states, conditions] = slices(actor)[query.state ?? 'published'];
  if (has_acknowledgement !== undefined)
    conditions.push(trusted(`${has_acknowledgement ? '' : 'not '}t.requires_acknowledgement`));
  return listRows(
    tx,
    articlesList,
    postedSlice(actor, 'article', query, states, conditions),
    shown(
      sql`(select * from articles where organisation_id = $1 and id = listed.id)`,
      { actor, language, sign_url },
      tx.now(),
    ),
  );
}
const slices = (actor: Actor): Record<ListedState, [states: number[], conditions: Sql[]]> => {
  const visible = sql`(t.list_bucket <> ${trusted(String(state.unpublished))} or ${edits(actor, 'article')})`;
  const unpublished = (is_draft: boolean): [number[], Sql[]] => [
    [state.unpublished],
    [trusted(`t.archived_at is null and t.is_draft = ${is_draft}`), edits(actor, 'article')],
  ];
  return {
    published: [[state.published], []],
    archived: [
      [state.archived, state.unpublished],
      [trusted('t.archived_at is not null'), visible],
    ],
    all: [[state.published, state.archived, state.unpublished], [visible]],
    draft: unpublished(true),
    scheduled: unpublished(false),
  };
};

const languages = trusted(
  `, (select coalesce(json_agg(x.language order by x.language), '[]') from article_translations x where x.organisation_id = $1 and x.article_id = t.id) as languages`,
);
export const findArticle = (tx: Tx, actor: Actor, key: Key, { language, sign_url }: Reading) =>
  tx.json(
    shown(
      sql`(select * from articles t where t.organisation_id = $1 and ${isKey(key)} and ${sees(actor, 'article')})`,
      { actor, language, sign_url },
      tx.now(),
      languages,
    ),
  );
/** As written a moment ago by the same request. */
export const getArticle = (tx: Tx, actor: Actor, id: number) =>
  tx.json(
    shown(sql`(select * from articles where organisation_id = $1 and id = ${id})`, { actor }, tx.now()),
  ) as Promise<Json>;

/** Keeps others from changing its states meanwhile. */
export const lockArticle = async (tx: Tx, id: number) =>
  (await tx.row<StoredSchedule>(sql`
    select is_draft, iso(publish_at) as publish_at, iso(published_at) as published_at, iso(archive_at) as archive_at from articles where organisation_id = $1 and id = ${id} for update`)) as StoredSchedule;

/**
 * `slug`, or with a number that makes it free: one more than a number that is taken, found by halving. Until the commit
 * nobody else finds a slug.
 */
export const findFreeSlug = async (tx: Tx, slug: string): Promise<string> => {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('article slugs', $1))`);
  const isTaken = (number: string) =>
    sql`exists (select from articles t where t.organisation_id = $1 and t.slug = ${`${slug}-`}::text || ${trusted(number)})`;
  const row = await tx.row<{ slug: string }>(sql`
    with recursive powers as (select (2 ^ g)::bigint as n from generate_series(1, 40) g),
    narrowed (low, high) as (
      (select n / 2, n from powers where not ${isTaken('n')} order by n limit 1)
      union all
      select case when step.is_taken then step.middle else low end, case when step.is_taken then high else step.middle end
      from narrowed cross join lateral (select m.middle, ${isTaken('m.middle')} as is_taken from (select (low + high) / 2 as middle) m) step where high - low > 1)
    select case when exists (select from articles t where t.organisation_id = $1 and t.slug = ${slug}) then ${`${slug}-`}::text || (select min(high) from narrowed) else ${slug} end as slug`);
  return row?.slug ?? slug;
};

export interface ArticleFields {
  title: string;
  html_content: string;
  subtitle?: string | undefined;
  slug?: string | undefined;
  external_id?: string | null | undefined;
  language?: string | null | undefined;
  requires_acknowledgement?: boolean | undefined;
  acknowledgement_due_at?: string | null | undefined;
}
export interface NewArticleRow extends ArticleFields {
  slug: string;
  schedule: Schedule;
  creator_id: number;
  created_at?: string | undefined;
  audience: AudienceTargets;
}
/** The row with its audience, not published yet. */
export const insertArticle = async (tx: Tx, article: NewArticleRow): Promise<number> => {
  const at = tx.now();
  const { is_draft, publish_at, archive_at } = article.schedule;
  const row = await tx.row<{ id: number }>(sql`
    with added as (
      insert into articles (organisation_id, external_id, title, subtitle, html_content, language, slug, audience_type, creator_id, is_draft, publish_at, archive_at, requires_acknowledgement, acknowledgement_due_at,
        created_at, updated_at, list_class)
      values ($1, ${article.external_id ?? null}, ${article.title}, ${article.subtitle ?? ''}, ${article.html_content}, ${article.language ?? null}, ${article.slug}, ${article.audience.type}, ${article.creator_id},
        ${is_draft}, ${publish_at}, ${archive_at}, ${article.requires_acknowledgement ?? false}, ${article.acknowledgement_due_at ?? null}, ${article.created_at ?? at}, ${at}, ${reachOf(article.audience)})
      returning *),
    audience as (${insertedAudience('article', 'added', article.audience)}),
    change as (${counted(articlesList, 'added', 1)})
    select id from added`);
  return row?.id ?? 0;
};

/** Returns whether anything changed; then `touchArticle`. Same values again: nothing is written. `undefined` keeps what identifies the article, and its audience. */
export const updateArticle = async (
  tx: Tx,
  id: number,
  article: ArticleFields,
  { is_draft, publish_at, archive_at }: Schedule,
  audience: AudienceTargets | undefined,
) => {
  const row = await tx.row<{ id: number }>(sql`
    with was as (select * from articles where organisation_id = $1 and id = ${id} for update),
    wanted as (
      select was.id, ${article.title}::text as title, ${article.subtitle ?? ''}::text as subtitle, ${article.html_content}::text as html_content, coalesce(${article.slug ?? null}::text, was.slug) as slug,
        coalesce(${article.external_id ?? null}::text, was.external_id) as external_id, coalesce(${article.language ?? null}::text, was.language) as language,
        ${is_draft}::boolean as is_draft, ${publish_at}::timestamptz as publish_at, ${archive_at}::timestamptz as archive_at,
        ${article.requires_acknowledgement ?? false}::boolean as requires_acknowledgement, ${article.acknowledgement_due_at ?? null}::timestamptz as acknowledgement_due_at,
        ${audience ? sql`${audience.type}::text` : trusted('was.audience_type')} as audience_type, ${audience ? reachOf(audience) : trusted('was.list_class')}::smallint as list_class
      from was),
    changed as (
      update articles t set title = w.title, subtitle = w.subtitle, html_content = w.html_content, slug = w.slug, external_id = w.external_id, language = w.language, is_draft = w.is_draft, publish_at = w.publish_at, archive_at = w.archive_at,
        requires_acknowledgement = w.requires_acknowledgement, acknowledgement_due_at = w.acknowledgement_due_at, audience_type = w.audience_type, list_class = w.list_class,
        content_version = t.content_version + case when t.html_content <> w.html_content then 1 else 0 end
      from wanted w where t.organisation_id = $1 and t.id = w.id
        and (t.title, t.subtitle, t.html_content, t.slug, t.external_id, t.language, t.is_draft, t.publish_at, t.archive_at, t.requires_acknowledgement, t.acknowledgement_due_at, t.audience_type, t.list_class)
          is distinct from (w.title, w.subtitle, w.html_content, w.slug, w.external_id, w.language, w.is_draft, w.publish_at, w.archive_at, w.requires_acknowledgement, w.acknowledgement_due_at, w.audience_type, w.list_class)
      returning t.*),
    ${recounted(articlesList)}
    select id from changed`);
  return row !== undefined;
};

/** Marks it as changed. */
export const touchArticle = (tx: Tx, id: number) =>
  tx.rows(sql`update articles t set ${touched(tx.now())} where t.organisation_id = $1 and t.id = ${id}`);

export const announceUpdated = (tx: Tx, id: number, at = tx.now()) =>
  tx.rows(sql`
    with article as (select * from articles where organisation_id = $1 and id = ${id}), ${announcement('article', at)}
    ${emitted(articleUpdated, 'shown', at)}`);

/** Returns whether the translation is new or other than before. */
export const upsertTranslation = async (
  tx: Tx,
  id: number,
  language: string,
  { title, subtitle = '', html_content }: ArticleFields,
) =>
  (
    await tx.rows(sql`
    insert into article_translations as x (organisation_id, article_id, language, title, subtitle, html_content, updated_at) values ($1, ${id}, ${language}, ${title}, ${subtitle}, ${html_content}, ${tx.now()})
    on conflict (organisation_id, article_id, language) do update set title = excluded.title, subtitle = excluded.subtitle, html_content = excluded.html_content, updated_at = excluded.updated_at
    where (x.title, x.subtitle, x.html_content) is distinct from (excluded.title, excluded.subtitle, excluded.html_content) returning x.language`)
  ).length > 0;

/** Returns whether there was an article to delete. */
export const deleteArticle = async (tx: Tx, id: number) => {
  const at = tx.now();
  const rows = await tx.rows(sql`
    with doomed as (select * from articles where organisation_id = $1 and id = ${id} for update),
    ${announcement('doomed', at)},
    gone as (delete from articles t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    event as (${emitted(articleDeleted, `(select json_build_object('id', s.json->'id', 'title', s.json->'title', 'permalink', s.json->'permalink') as json, s.is_public, s.space_id from shown s where exists (select from gone))`, at)}),
    change as (${counted(articlesList, 'gone', -1)}),
    tombstone as (${tombstones('article', id, 'gone', at)})
    select id from gone`);
  return rows.length > 0;
};

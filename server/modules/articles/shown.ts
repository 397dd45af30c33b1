// Articles as the interface and the outbox show them.

import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { fileOf, filesOf, signedHtml } from '../assets/queries.ts';
import { campaignOf } from '../campaigns/queries.ts';
import { postedColumns, postedList } from '../content/queries.ts';

export const articlesList = postedList('article');

/** How an article is read: by whom (for events: by nobody in particular), in a language, with signed addresses of its pictures. */
export interface Reading {
  actor?: Actor;
  language?: string | undefined;
  sign_url?: boolean | undefined;
}
const columns = ({ actor, language, sign_url }: Reading, now: string) => {
  const translated = language !== undefined;
  const html = translated ? 'coalesce(tr.html_content, t.html_content)' : 't.html_content';
  return sql`${trusted(`t.id, t.external_id, t.slug,
  ${translated ? 'coalesce(tr.title, t.title) as title, coalesce(tr.subtitle, t.subtitle) as subtitle, coalesce(tr.language, t.language) as language' : 't.title, t.subtitle, t.language'},
  (select json_build_object('id', c.id, 'name', c.name, 'email', c.email, 'job_title', c.job_title) from users c where c.organisation_id = $1 and c.id = t.creator_id) as creator,
  case when t.archived_at is not null then 'archived' when t.published_at is not null then 'published' when t.is_draft then 'draft' else 'scheduled' end as state,
  t.is_draft, iso(t.publish_at) as publish_at, iso(t.published_at) as published_at, iso(t.archive_at) as archive_at, t.archived_at is not null as is_archived,
  t.requires_acknowledgement, iso(t.acknowledgement_due_at) as acknowledgement_due_at, t.content_version`)}, ${sign_url ? signedHtml(html, 'article', now) : trusted(html)} as html_content,
  ${campaignOf('article', now)} as campaign, ${fileOf('article', 'cover', now)} as cover_image, ${filesOf('article', 'gallery', now)} as gallery, ${filesOf('article', 'attachment', now)} as attachments, ${fileOf('article', 'video', now)} as video,
  ${postedColumns('article', actor)}`;
};

/** Rows of `source` (alias `t`) as `json` text; `more` are further columns. */
export const shown = (source: Sql, reading: Reading, now: string, more = nothing) => {
  const translation =
    reading.language === undefined
      ? nothing
      : sql` left join article_translations tr on tr.organisation_id = $1 and tr.article_id = t.id and lower(tr.language) = lower(${reading.language})`;
  return sql`select row_to_json(r)::text as json from (select ${columns(reading, now)}${more} from ${source} t${translation}) r`;
};

/** CTE `shown` for an event, from a CTE of rows. What was never published is nobody's news. */
export const announcement = (source: string, now: string): Sql => sql`
  shown as (
    select (select row_to_json(r) from (select ${columns({}, now)}) r) as json, t.list_class <= 1 as is_public,
      case when t.audience_type = 'spaces' then (select case when count(*) = 1 then min(a.space_id) end from article_audiences a where a.organisation_id = $1 and a.article_id = t.id) end as space_id
    from ${trusted(source)} t where t.published_at is not null)`;

/** Assignments that mark the row `t` as changed. */
export const touched = (at: string) =>
  sql`updated_at = greatest(${at}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')`;

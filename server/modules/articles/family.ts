// The article as a family of content: written, scheduled, published, archived.
import { cleared, hidden, kept } from '../../kernel/data/rows.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { fileOf, filesOf } from '../assets/queries.ts';
import { campaignOf } from '../campaigns/queries.ts';
import { postedAccess } from '../content/access.ts';
import { type PostedFamily, translated } from '../content/family.ts';
import { postedList } from '../content/lists.ts';
import { creator, postedColumns, postedVisibility } from '../content/shown.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { articleDeleted, articlePublished, articleUpdated } from './events.ts';

const editors: readonly SpaceRole[] = ['owner', 'admin', 'moderator', 'editor', 'news_editor'];
const state =
  trusted(`case when t.archived_at is not null then 'archived' when t.published_at is not null then 'published'
  when t.is_draft then 'draft' else 'scheduled' end as state`);

export const articleFamily: PostedFamily = {
  noun: 'article',
  name: 'articles',
  columns: {
    external_id: kept('text'),
    slug: kept('text'),
    title: translated(cleared('text')),
    subtitle: translated(cleared('text', '')),
    html_content: { ...translated(cleared('text')), hasReferences: true },
    language: kept('text'),
    is_draft: cleared('boolean', false),
    publish_at: cleared('timestamptz'),
    archive_at: cleared('timestamptz'),
    requires_acknowledgement: cleared('boolean', false),
    acknowledgement_due_at: cleared('timestamptz'),
    audience_type: hidden(kept('text', 'Global')),
    list_class: hidden(kept('smallint')),
  },
  list: postedList('article'),
  postedAt: 'coalesce(t.published_at, t.created_at)',
  shown: ({ now, actor }) => sql`
    ${creator}, ${state}, iso(t.published_at) as published_at, t.archived_at is not null as is_archived,
    t.content_version, ${campaignOf('article', now)} as campaign, ${fileOf('article', 'cover', now)} as cover_image,
    ${filesOf('article', 'gallery', now)} as gallery, ${filesOf('article', 'attachment', now)} as attachments,
    ${fileOf('article', 'video', now)} as video, ${postedColumns('article', actor)}`,
  replacing: trusted(`,
    content_version = t.content_version + case when t.html_content <> w.html_content then 1 else 0 end`),
  ...postedVisibility('article'),
  // What was never published is nobody's news.
  isNews: trusted('t.published_at is not null'),
  events: { added: articlePublished, updated: articleUpdated, deleted: articleDeleted },
  remains: trusted(`json_build_object('id', s.json->'id', 'title', s.json->'title', 'permalink', s.json->'permalink')`),
  editors,
  isOpenToAll: false,
  ...postedAccess('article', editors),
};

// The page as a family of content: it stands in one space, or among the global pages, in a tree.
import type { Listing } from '../../kernel/data/listing.ts';
import { cleared, hidden, kept } from '../../kernel/data/rows.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { type ContentFamily, shownAs, translated } from '../content/family.ts';
import { audienceFor, creator, ending, reactionsOf } from '../content/shown.ts';
import { editsPage, seesPage } from './access.ts';
import { pageCreated, pageDeleted, pageUpdated } from './events.ts';

/** One bucket a space, 0 for global pages. Class: see `classOf` in access.ts. */
export const pagesList: Listing = { table: 'pages', at: 'created_at', id: 'id', newestFirst: true };

const external_parent_id = trusted(`
  case when t.parent_id is not null then (
    select up.external_id from pages up
    where up.organisation_id = $1 and up.id = t.parent_id) end as external_parent_id`);

export const pageFamily: ContentFamily = {
  noun: 'page',
  name: 'pages',
  columns: {
    external_id: kept('bigint'),
    space_id: cleared('bigint'),
    parent_id: cleared('bigint'),
    position: kept('integer', 0),
    title: translated(cleared('text')),
    subtitle: translated(cleared('text', '')),
    summary: translated(cleared('text', '')),
    html_content: { ...translated(cleared('text')), hasReferences: true },
    language: kept('text'),
    slug: cleared('text'),
    page_edition: kept('text', 'classic'),
    is_draft: shownAs('t.is_draft::int', cleared('boolean', false)),
    is_standalone: shownAs('t.is_standalone::int', cleared('boolean', false)),
    is_sidebar_enabled: shownAs('t.is_sidebar_enabled::int', cleared('boolean', false)),
    audience_type: hidden(kept('text', 'Global')),
  },
  list: pagesList,
  shown: ({ actor }) => sql`
    ${external_parent_id}, ${audienceFor('page', actor)} as audience, ${reactionsOf('t')} as reactions, ${creator},
    ${ending('page')}`,
  isPublic: trusted(`not t.is_draft and t.audience_type = 'Global' and (t.space_id is null or exists (
    select from spaces s where s.organisation_id = $1 and s.id = t.space_id and s.visibility = 'public'))`),
  space_id: trusted('t.space_id'),
  events: { added: pageCreated, updated: pageUpdated, deleted: pageDeleted },
  sees: seesPage,
  edits: editsPage,
};

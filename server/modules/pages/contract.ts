import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { Audience, audienceErrors, NewAudience } from '../audiences/contract.ts';
import { Creator, ReactionCounts, Viewer } from '../content/contract.ts';

const PageExternalId = (description?: string) =>
  t.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: description ?? "The caller's own identifier.",
  });
const fields = {
  id: t.Id(),
  external_id: t.Nullable(PageExternalId()),
  external_parent_id: t.Nullable(PageExternalId('external_id of the parent.')),
  parent_id: t.Nullable(t.Id()),
  space_id: t.Nullable(t.Id('Null: a global page.')),
  title: t.Text(500),
  subtitle: t.Text(1000),
  summary: t.Text(500, 'Plain text; what the page is about.'),
  html_content: t.Text(
    2_000_000,
    'Sanitised. Images are asset://{id}, or signed URLs that expire when sign_url asks for them.',
  ),
  language: t.Text(35, 'Language of title and text.'),
  slug: t.Text(200),
  page_edition: t.OneOf(['classic', 'builder']),
  position: t.Integer({ description: 'Order among the children of one parent.' }),
  is_draft: t.Bit(),
  is_standalone: t.Bit(),
  is_sidebar_enabled: t.Bit(),
  audience: Audience,
  reactions: ReactionCounts,
  creator: Creator,
  created_at: t.Timestamp(),
  updated_at: t.Timestamp(),
  sequence: t.Integer({ description: 'Ever-increasing; orders changes with equal timestamps.' }),
  permalink: t.Url(),
  viewer: t.Optional(Viewer),
};
/** docs/interface.md, Page. */
export const Page = t.Object(fields, { title: 'Page' });
export const PageWithChildren = t.Object(
  {
    ...fields,
    children: t.Array(t.Object({ id: t.Id(), title: t.Text(500), position: t.Integer() })),
    path: t.Array(t.Object({ id: t.Id(), title: t.Text(500) }), { description: 'The pages above it, from the top.' }),
    languages: t.Array(t.Text(35, 'Languages it is translated into.')),
  },
  { title: 'PageWithChildren' },
);

export const PageNode = t.Object(
  {
    id: fields.id,
    title: fields.title,
    parent_id: fields.parent_id,
    position: fields.position,
    is_draft: t.Flag(),
    has_children: t.Flag(),
  },
  { title: 'PageNode' },
);
const PageLevel = t.Object({ pages: t.Array(PageNode), has_more: t.Flag() }, { title: 'PageLevel' });

const optional = {
  subtitle: t.Optional(t.Text(1000)),
  summary: t.Optional(t.Text(500, 'Plain text; what the page is about.')),
  space_id: t.Optional(t.Nullable(t.Id('Omitted: a global page.'))),
  is_draft: t.Optional(t.Flag()),
  is_standalone: t.Optional(t.Flag()),
  is_sidebar_enabled: t.Optional(t.Flag()),
  language: t.Optional(
    t.Language('BCP 47; default: the organisation’s. On replace, another than its own writes that translation.'),
  ),
  external_id: t.Optional(t.Nullable(PageExternalId())),
  external_parent_id: t.Optional(t.Nullable(PageExternalId('The parent must exist in the same space.'))),
  parent_id: t.Optional(t.Nullable(t.Id('The parent by its own id, instead of external_parent_id.'))),
  position: t.Optional(t.Integer({ minimum: 0, maximum: 1_000_000 })),
  page_edition: t.Optional(t.OneOf(['classic', 'builder'])),
  audience: t.Optional(NewAudience),
};
export const NewPage = t.Object({
  title: t.RequiredText(500),
  html_content: t.Html(2_000_000),
  ...optional,
  user_id: t.Optional(t.Id('The author. Default: the caller.')),
  user_external_id: t.Optional(t.ExternalId('The author by external id.')),
  created_at: t.Optional(t.Timestamp('For imports; never in the future.')),
});
export const PageReplacement = t.Object({ title: t.RequiredText(500), html_content: t.Html(2_000_000), ...optional });

const signed = t.Optional(t.Flag('1: expiring signed image URLs in html_content. 0 or absent: internal references.'));
const readQuery = t.Object({
  sign_url: signed,
  language: t.Optional(t.Language('Falls back to the page’s own language.')),
});
const errors = {
  external_id_taken: 409,
  parent_not_found: 400,
  space_not_found: 400,
  user_not_found: 400,
  ...audienceErrors,
  space_archived: 409,
};
const gone = t.Object({ id: t.Id(), external_id: t.Nullable(PageExternalId()) });
const deletion = {
  query: t.Object({ cascade: t.Optional(t.Flag('1: its descendants too.')) }),
  reply: gone,
  errors: { concurrent_delete: 409, page_has_children: 409 },
  emits: ['page.deleted'],
};

export const pages = family('pages', 'Lasting content, in a tree: handbooks, policies, how-tos.', {
  createPage: endpoint('POST /v1/pages', 'Create a page', {
    status: 201,
    body: NewPage,
    documented: 'multipart',
    reply: Page,
    errors,
    emits: ['page.created'],
    example: { body: { title: 'Travel policy', html_content: '<p>Book early.</p>', external_id: 1001 } },
  }),
  listPages: endpoint('GET /v1/pages', 'List pages', {
    description: 'Newest first. Without space_id: global pages. Drafts are only listed for those who may edit them.',
    query: t.Object({
      space_id: t.Optional(t.Id('Pages of this space.')),
      space_ids: t.Optional(t.IdListOrAll('Pages of these spaces, or `all` that the caller can access.')),
      in_spaces: t.Optional(t.Deprecated(t.IdListOrAll('The same as space_ids.'))),
      page_edition: t.Optional(t.OneOf(['classic', 'builder'])),
      creator_id: t.Optional(t.Id()),
      created_after: t.Optional(t.Timestamp()),
      created_before: t.Optional(t.Timestamp()),
      parent_id: t.Optional(t.Id('Children of this page.')),
      sign_url: signed,
      language: t.Optional(t.Language()),
    }),
    list: Page,
    example: { query: { space_id: 1, take: 10 } },
  }),
  getPageTree: endpoint('GET /v1/pages/tree', 'Read one level of the tree of pages', {
    description: 'What stands below a page, or at the top of a space or of the global pages, in the order of the tree.',
    query: t.Object({
      space_id: t.Optional(t.Id()),
      parent_id: t.Optional(t.Id('Below this page.')),
      after: t.Optional(t.Id('The page of this level to go on after.')),
      take: t.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
    }),
    reply: PageLevel,
    example: { query: { space_id: 1 } },
  }),
  movePage: endpoint('POST /v1/pages/{id}/move', 'Move a page in the tree', {
    description: 'Within its space. Siblings are numbered anew where there is no room between two of them.',
    body: t.Object({
      parent_id: t.Nullable(t.Id('Null: at the top.')),
      before_id: t.Optional(t.Nullable(t.Id('Before this page of the same level. Omitted: last.'))),
    }),
    reply: Page,
    errors: { parent_not_found: 400 },
    emits: ['page.updated'],
    example: { params: { id: 3 }, body: { parent_id: null } },
  }),
  getPage: endpoint('GET /v1/pages/{id}', 'Read a page', {
    byExternalId: 'getPageByExternalId',
    query: readQuery,
    reply: PageWithChildren,
    errors: {},
    example: { params: { id: 1, external_id: 100 } },
  }),
  replacePage: endpoint('PUT /v1/pages/{id}', 'Replace a page', {
    byExternalId: 'replacePageByExternalId',
    description:
      'Omitted subtitle, space_id, is_draft, is_standalone and is_sidebar_enabled are cleared; ' +
      'send what is to be preserved. Identifiers, parent, position, edition and audience are kept when omitted. ' +
      'A PUT that changes nothing leaves updated_at alone and emits no event.',
    body: PageReplacement,
    documented: 'multipart',
    reply: Page,
    errors,
    emits: ['page.updated'],
    example: {
      params: { id: 1, external_id: 100 },
      body: { title: 'Welcome', html_content: '<p>Start here.</p>', space_id: 1 },
    },
  }),
  deletePage: endpoint('DELETE /v1/pages/{id}', 'Delete a page', {
    byExternalId: 'deletePageByExternalId',
    description: 'Of DELETEs that overlap one gets 200, the others 409.',
    ...deletion,
    example: { params: { id: 3, external_id: 102 } },
  }),
});

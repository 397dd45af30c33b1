import {
  Bit,
  ExternalId,
  endpoint,
  Flag,
  family,
  Id,
  IdListOrAll,
  Language,
  List,
  Nullable,
  OneOf,
  Optional,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';
import { Audience, audienceErrors, NewAudience } from '../audiences/contract.ts';

export const Creator = Shape(
  { id: Id(), name: Text(511), email: Text(254), job_title: Text(255) },
  { title: 'Creator' },
);

const PageExternalId = (description?: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: description ?? "The caller's own identifier.",
  });
const fields = {
  id: Id(),
  external_id: Nullable(PageExternalId()),
  external_parent_id: Nullable(PageExternalId('external_id of the parent.')),
  parent_id: Nullable(Id()),
  space_id: Nullable(Id('Null: a global page.')),
  title: Text(500),
  subtitle: Text(1000),
  html_content: Text(
    2_000_000,
    'Sanitised. Images are asset://{id}, or signed URLs that expire when sign_url asks for them.',
  ),
  language: Nullable(Text(35, 'Language of title and text.')),
  slug: Text(200),
  page_edition: OneOf(['classic', 'builder']),
  position: Type.Integer({ description: 'Order among the children of one parent.' }),
  is_draft: Bit(),
  is_standalone: Bit(),
  is_sidebar_enabled: Bit(),
  audience: Audience,
  creator: Creator,
  created_at: Timestamp(),
  updated_at: Timestamp(),
  sequence: Type.Integer({ description: 'Ever-increasing; orders changes with equal timestamps.' }),
  permalink: Url(),
};
/** Interface 2.4, with the fields of gaps 8. */
export const Page = Shape(fields, { title: 'Page' });
export const PageWithChildren = Shape(
  {
    ...fields,
    children: List(Shape({ id: Id(), title: Text(500), position: Type.Integer() })),
    languages: List(Text(35, 'Languages it is translated into.')),
  },
  { title: 'PageWithChildren' },
);

const optional = {
  subtitle: Optional(Text(1000)),
  space_id: Optional(Nullable(Id('Omitted: a global page.'))),
  is_draft: Optional(Flag()),
  is_standalone: Optional(Flag()),
  is_sidebar_enabled: Optional(Flag()),
  language: Optional(Language('BCP 47. A language other than the page’s own writes that translation.')),
  external_id: Optional(Nullable(PageExternalId())),
  external_parent_id: Optional(Nullable(PageExternalId('The parent must exist in the same space.'))),
  parent_id: Optional(Nullable(Id('The parent by its own id, instead of external_parent_id.'))),
  position: Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  page_edition: Optional(OneOf(['classic', 'builder'])),
  audience: Optional(NewAudience),
};
export const NewPage = Shape({
  title: RequiredText(500),
  html_content: Text(2_000_000),
  ...optional,
  user_id: Optional(Id('The author. Default: the caller.')),
  user_external_id: Optional(ExternalId('The author by external id.')),
  created_at: Optional(Timestamp('For imports; never in the future.')),
});
export const PageReplacement = Shape({ title: RequiredText(500), html_content: Text(2_000_000), ...optional });

const byExternalId = Shape({ external_id: PageExternalId() });
const signed = Optional(Flag('1: expiring signed image URLs in html_content. 0 or absent: internal references.'));
const readQuery = Shape({ sign_url: signed, language: Optional(Language('Falls back to the page’s own language.')) });
const errors = {
  external_id_taken: 409,
  parent_not_found: 400,
  space_not_found: 400,
  user_not_found: 400,
  ...audienceErrors,
  space_archived: 409,
};
const gone = Shape({ id: Id(), external_id: Nullable(PageExternalId()) });
const deletion = {
  query: Shape({ cascade: Optional(Flag('1: its descendants too.')) }),
  reply: gone,
  errors: { concurrent_delete: 409, page_has_children: 409 },
  emits: ['page.deleted'],
};

export const pages = family('pages', 'Lasting content, in a tree: handbooks, policies, how-tos.', {
  createPage: endpoint({
    method: 'POST',
    path: '/v1/pages',
    summary: 'Create a page',
    scope: 'pages.*.write',
    status: 201,
    body: NewPage,
    documented: 'multipart',
    reply: Page,
    errors,
    emits: ['page.created'],
    example: { body: { title: 'Travel policy', html_content: '<p>Book early.</p>', external_id: 1001 } },
  }),
  listPages: endpoint({
    method: 'GET',
    path: '/v1/pages',
    summary: 'List pages',
    description: 'Newest first. Without space_id: global pages. Drafts are only listed for those who may edit them.',
    scope: 'pages.*.read',
    query: Shape({
      space_id: Optional(Id('Pages of this space.')),
      space_ids: Optional(IdListOrAll('Pages of these spaces, or `all` that the caller can access.')),
      in_spaces: Optional(IdListOrAll('The same as space_ids.')),
      page_edition: Optional(OneOf(['classic', 'builder'])),
      creator_id: Optional(Id()),
      created_after: Optional(Timestamp()),
      created_before: Optional(Timestamp()),
      updated_after: Optional(Timestamp()),
      parent_id: Optional(Id('Children of this page.')),
      sign_url: signed,
      language: Optional(Language()),
    }),
    list: Page,
    example: { query: { space_id: 1, take: 10 } },
  }),
  getPage: endpoint({
    method: 'GET',
    path: '/v1/pages/{id}',
    summary: 'Read a page',
    scope: 'pages.*.read',
    query: readQuery,
    reply: PageWithChildren,
    errors: {},
    example: { params: { id: 1 } },
  }),
  getPageByExternalId: endpoint({
    method: 'GET',
    path: '/v1/pages/by-external-id/{external_id}',
    summary: 'Read a page by external id',
    scope: 'pages.*.read',
    params: byExternalId,
    query: readQuery,
    reply: PageWithChildren,
    example: { params: { external_id: 100 } },
  }),
  replacePage: endpoint({
    method: 'PUT',
    path: '/v1/pages/{id}',
    summary: 'Replace a page',
    description:
      'Omitted subtitle, space_id, is_draft, is_standalone and is_sidebar_enabled are cleared; send what is to be preserved. Identifiers, parent, position, edition and audience are kept when omitted. A PUT that changes nothing leaves updated_at alone and emits no event.',
    scope: 'pages.*.write',
    body: PageReplacement,
    documented: 'multipart',
    reply: Page,
    errors,
    emits: ['page.updated'],
    example: { params: { id: 1 }, body: { title: 'Welcome', html_content: '<p>Start here.</p>', space_id: 1 } },
  }),
  replacePageByExternalId: endpoint({
    method: 'PUT',
    path: '/v1/pages/by-external-id/{external_id}',
    summary: 'Replace a page by external id',
    description: 'As PUT /v1/pages/{id}. 404 when there is no such page: then POST it.',
    scope: 'pages.*.write',
    params: byExternalId,
    body: PageReplacement,
    documented: 'multipart',
    reply: Page,
    errors,
    emits: ['page.updated'],
    example: {
      params: { external_id: 100 },
      body: { title: 'Welcome', html_content: '<p>Start here.</p>', space_id: 1 },
    },
  }),
  deletePage: endpoint({
    method: 'DELETE',
    path: '/v1/pages/{id}',
    summary: 'Delete a page',
    description: 'Of DELETEs that overlap one gets 200, the others 409.',
    scope: 'pages.*.write',
    ...deletion,
    example: { params: { id: 3 } },
  }),
  deletePageByExternalId: endpoint({
    method: 'DELETE',
    path: '/v1/pages/by-external-id/{external_id}',
    summary: 'Delete a page by external id',
    scope: 'pages.*.write',
    params: byExternalId,
    ...deletion,
    example: { params: { external_id: 102 } },
  }),
});

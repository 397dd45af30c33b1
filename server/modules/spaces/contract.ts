import type { TSchema } from 'typebox';
import {
  ExternalId,
  endpoint,
  Flag,
  family,
  Id,
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
import { postedNouns } from '../content/contract.ts';
import { User } from '../users/contract.ts';

export const visibilities = ['public', 'private', 'hidden'] as const;
export const spaceRoles = [
  'owner',
  'admin',
  'moderator',
  'editor',
  'pages_editor',
  'news_editor',
  'events_editor',
  'documents_editor',
  'member',
] as const;
export type SpaceRole = (typeof spaceRoles)[number];

export const SpaceCategory = Shape({ id: Id(), name: Text(255), description: Text(2000) }, { title: 'SpaceCategory' });
export const Space = Shape(
  {
    id: Id(),
    external_id: Nullable(ExternalId()),
    parent_space_id: Nullable(Id()),
    name: Text(255),
    description: Text(10_000),
    avatar_url: Url(),
    visibility: OneOf(
      visibilities,
      'public: everybody sees it. private: everybody knows of it, members see inside. hidden: members only.',
    ),
    is_external: Flag(),
    is_corporate: Flag(),
    is_mandatory: Flag(),
    is_read_only: Flag('Only owners, admins, moderators and editors post.'),
    is_default: Flag('People are enrolled by themselves.'),
    auto_unenrol: Flag('Who no longer matches any rule leaves, if only a rule brought them in.'),
    categories: List(SpaceCategory),
    is_archived: Flag(),
    member_count: Type.Integer({ minimum: 0 }),
    created_at: Timestamp(),
    updated_at: Timestamp(),
    sequence: Type.Integer(),
    permalink: Url(),
  },
  { title: 'Space' },
);
export const SpaceMember = Shape({ ...User.properties, space_role: OneOf(spaceRoles) }, { title: 'SpaceMember' });
/** The nouns of what a space may feature. */
export const featurable = ['page', ...postedNouns] as const;
export const Featured = Shape(
  {
    is_archived: Flag('With the space: then nothing of it is shown in the space.'),
    items: List(Shape({ type: OneOf(featurable), id: Id(), permalink: Url() })),
  },
  { title: 'Featured' },
);
export const SpaceRules = Shape({ rules: List(Shape({ team_ids: List(Id()) })) }, { title: 'SpaceRules' });

const attributes = {
  external_id: Optional(Nullable(ExternalId('Kept when omitted on replace.'))),
  parent_space_id: Optional(Nullable(Id())),
  description: Optional(Text(10_000)),
  visibility: Optional(OneOf(visibilities, 'Default public; kept when omitted on replace.')),
  is_external: Optional(Flag()),
  is_corporate: Optional(Flag()),
  is_mandatory: Optional(Flag()),
  is_read_only: Optional(Flag()),
  is_default: Optional(Flag('Without rules, everybody is enrolled.')),
  auto_unenrol: Optional(Flag()),
  category_ids: Optional(Type.Array(Id(), { maxItems: 50 })),
};
export const NewSpace = Shape({
  name: RequiredText(255),
  user_id: Optional(Id('The creator, who becomes an owner. Default: the signed-in person.')),
  user_external_id: Optional(ExternalId('The creator by external id.')),
  ...attributes,
});
export const SpaceReplacement = Shape({ name: RequiredText(255), ...attributes });

const people = { maxItems: 10_000 };
const operations = ['add', 'remove', ...spaceRoles.map((role) => `set_as_${role}` as const)] as const;
type OperationField = `${'' | 'external_'}ids_to_${(typeof operations)[number]}`;
const operationFields = Object.fromEntries(
  operations.flatMap((operation): [string, TSchema][] => [
    [`ids_to_${operation}`, Optional(Type.Array(Id(), people))],
    [`external_ids_to_${operation}`, Optional(Type.Array(ExternalId(), people))],
  ]),
);
export const operationFieldNames = Object.keys(operationFields) as OperationField[];
/** Adding to and removing from a space and giving roles; every field has a form for ids and one for external ids. */
export const SpaceMembershipChange = Type.Unsafe<{ [K in OperationField]?: (number | string)[] }>(
  Shape(operationFields),
);

const byExternalId = Shape({ external_id: ExternalId() });
const errors = { external_id_taken: 409, parent_space_not_found: 400, category_not_found: 400, user_not_found: 400 };
const gone = Shape({ id: Id() });
const changed = Shape({ users_added: Type.Integer(), users_removed: Type.Integer(), users_updated: Type.Integer() });
const listUsersQuery = Shape({ space_role: Optional(OneOf(spaceRoles)) });

export const spaces = family('spaces', 'Rooms with members, roles and content.', {
  listSpaceCategories: endpoint({
    method: 'GET',
    path: '/v1/spaces/categories',
    summary: 'List space categories',
    description: 'Ordered by id.',
    scope: 'spaces.*.read',
    list: SpaceCategory,
    example: {},
  }),
  createSpaceCategory: endpoint({
    method: 'POST',
    path: '/v1/spaces/categories',
    summary: 'Create a space category',
    scope: 'spaces.categories.write',
    roles: ['admin'],
    status: 201,
    body: Shape({ name: RequiredText(255), description: Optional(Text(2000)) }),
    documented: 'json',
    reply: SpaceCategory,
    errors: { name_taken: 409 },
    example: { body: { name: 'Regions' } },
  }),
  deleteSpaceCategory: endpoint({
    method: 'DELETE',
    path: '/v1/spaces/categories/{id}',
    summary: 'Delete a space category',
    scope: 'spaces.categories.write',
    roles: ['admin'],
    reply: gone,
    example: { params: { id: 1 } },
  }),

  listSpaces: endpoint({
    method: 'GET',
    path: '/v1/spaces',
    summary: 'List spaces',
    description:
      'Ordered by id. A key sees the visibilities its scopes name; a person sees public and private spaces and those they belong to.',
    scope: 'spaces.*.read',
    query: Shape({
      type: Optional(
        Type.String({
          pattern: '^(?:[cC][oO][rR][pP][oO][rR][aA][tT][eE]|[cC][oO][mM][mM][uU][nN][iI][tT][yY])$',
          description: 'corporate or community, in any case.',
        }),
      ),
      is_archived: Optional(Flag()),
    }),
    list: Space,
    example: { query: { type: 'corporate' } },
  }),
  getSpace: endpoint({
    method: 'GET',
    path: '/v1/spaces/{id}',
    summary: 'Read a space',
    scope: 'spaces.*.read',
    reply: Space,
    example: { params: { id: 1 } },
  }),
  getSpaceByExternalId: endpoint({
    method: 'GET',
    path: '/v1/spaces/by-external-id/{external_id}',
    summary: 'Read a space by external id',
    scope: 'spaces.*.read',
    params: byExternalId,
    reply: Space,
    example: { params: { external_id: 'S-NEWS' } },
  }),
  createSpace: endpoint({
    method: 'POST',
    path: '/v1/spaces',
    summary: 'Create a space',
    scope: 'spaces.*.write',
    status: 201,
    body: NewSpace,
    documented: 'json',
    reply: Space,
    errors,
    emits: ['space.created'],
    example: { body: { name: 'Warehouse', user_external_id: 'E-1001', visibility: 'private' } },
  }),
  replaceSpace: endpoint({
    method: 'PUT',
    path: '/v1/spaces/{id}',
    summary: 'Replace the attributes of a space',
    description:
      'Omitted attributes are reset; external_id and visibility are kept, so that an omission never opens a space.',
    scope: 'spaces.*.write',
    body: SpaceReplacement,
    documented: 'json',
    reply: Space,
    errors,
    emits: ['space.updated'],
    example: { params: { id: 2 }, body: { name: 'Store teams', description: 'For everybody in the stores.' } },
  }),
  replaceSpaceByExternalId: endpoint({
    method: 'PUT',
    path: '/v1/spaces/by-external-id/{external_id}',
    summary: 'Replace a space by external id',
    scope: 'spaces.*.write',
    params: byExternalId,
    body: SpaceReplacement,
    documented: 'json',
    reply: Space,
    errors,
    emits: ['space.updated'],
    example: { params: { external_id: 'S-NEWS' }, body: { name: 'Company news', is_corporate: true } },
  }),
  archiveSpace: endpoint({
    method: 'POST',
    path: '/v1/spaces/{id}/archive',
    summary: 'Archive a space',
    description:
      'Its articles and events are archived with it, but for those that are also for another space that is not archived. What it features is not shown. An archived space stays archived.',
    scope: 'spaces.*.write',
    reply: Space,
    emits: ['space.archived', 'article.archived', 'event.updated'],
    example: { params: { id: 2 } },
  }),
  unarchiveSpace: endpoint({
    method: 'POST',
    path: '/v1/spaces/{id}/unarchive',
    summary: 'Bring a space back',
    description: 'Brings back exactly the content that archiving the space archived.',
    scope: 'spaces.*.write',
    reply: Space,
    emits: ['space.unarchived', 'article.unarchived', 'event.updated'],
    example: { params: { id: 2 } },
  }),
  deleteSpace: endpoint({
    method: 'DELETE',
    path: '/v1/spaces/{id}',
    summary: 'Delete an empty space',
    description: '409 while it has content or child spaces.',
    scope: 'spaces.*.write',
    reply: gone,
    errors: { space_not_empty: 409 },
    example: { params: { id: 4 } },
  }),

  getFeatured: endpoint({
    method: 'GET',
    path: '/v1/spaces/{id}/featured',
    summary: 'Read what a space features',
    description: 'What it shows at its top, in order: what the caller sees of it and what is published.',
    scope: 'spaces.*.read',
    reply: Featured,
    example: { params: { id: 1 } },
  }),
  putFeatured: endpoint({
    method: 'PUT',
    path: '/v1/spaces/{id}/featured',
    summary: 'Replace what a space features',
    description: 'For owners of the space. An empty list features nothing.',
    scope: 'spaces.*.write',
    body: Shape({ items: Type.Array(Shape({ type: OneOf(featurable), id: Id() }), { maxItems: 20 }) }),
    documented: 'json',
    reply: Featured,
    errors: { space_archived: 409 },
    example: { params: { id: 1 }, body: { items: [{ type: 'article', id: 1 }] } },
  }),

  listSpaceUsers: endpoint({
    method: 'GET',
    path: '/v1/spaces/{id}/users',
    summary: 'List the members of a space',
    description: 'Active people, ordered by id.',
    scope: 'spaces.*.read',
    query: listUsersQuery,
    list: SpaceMember,
    example: { params: { id: 1 } },
  }),
  listSpaceUsersByExternalId: endpoint({
    method: 'GET',
    path: '/v1/spaces/by-external-id/{external_id}/users',
    summary: 'List the members of a space by external id',
    description: 'Active people, ordered by id.',
    scope: 'spaces.*.read',
    params: byExternalId,
    query: listUsersQuery,
    list: SpaceMember,
    example: { params: { external_id: 'S-NEWS' } },
  }),
  changeSpaceUsers: endpoint({
    method: 'PATCH',
    path: '/v1/spaces/{id}/users',
    summary: 'Add and remove members and give roles',
    description:
      'Fields ids_to_add, ids_to_remove and ids_to_set_as_<role>, each also as external_ids_…; at least one. All or nothing; other memberships and roles stay. Giving a role adds who is no member.',
    scope: 'spaces.*.write',
    body: SpaceMembershipChange,
    documented: 'multipart',
    reply: Space,
    meta: changed,
    example: { params: { id: 1 }, body: { ids_to_add: [5], ids_to_set_as_pages_editor: [3] } },
  }),
  changeSpaceUsersByExternalId: endpoint({
    method: 'PATCH',
    path: '/v1/spaces/by-external-id/{external_id}/users',
    summary: 'Add and remove members and give roles, space by external id',
    scope: 'spaces.*.write',
    params: byExternalId,
    body: SpaceMembershipChange,
    documented: 'multipart',
    reply: Space,
    meta: changed,
    example: { params: { external_id: 'S-NEWS' }, body: { external_ids_to_add: ['E-1004'] } },
  }),

  getDefaultRules: endpoint({
    method: 'GET',
    path: '/v1/spaces/{id}/default/rules',
    summary: 'Read the enrolment rules',
    scope: 'spaces.*.read',
    reply: SpaceRules,
    example: { params: { id: 1 } },
  }),
  putDefaultRules: endpoint({
    method: 'PUT',
    path: '/v1/spaces/{id}/default/rules',
    summary: 'Replace the enrolment rules',
    description:
      'Who belongs to every team of one rule is enrolled, at once and on later team changes. Makes the space a default space.',
    scope: 'spaces.*.write',
    body: Shape({
      rules: Type.Array(Shape({ team_ids: Type.Array(Id(), { minItems: 1, maxItems: 50 }) }), {
        minItems: 1,
        maxItems: 200,
      }),
    }),
    documented: 'json',
    reply: SpaceRules,
    errors: { team_ids_not_found: 400 },
    example: { params: { id: 3 }, body: { rules: [{ team_ids: [1, 2] }] } },
  }),
  deleteDefaultRules: endpoint({
    method: 'DELETE',
    path: '/v1/spaces/{id}/default/rules',
    summary: 'Remove the enrolment rules',
    description:
      'The space is no default space any more. Members stay, but for those that rules alone brought in where auto_unenrol is on.',
    scope: 'spaces.*.write',
    reply: SpaceRules,
    example: { params: { id: 3 } },
  }),
});

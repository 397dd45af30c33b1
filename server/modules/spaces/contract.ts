import type { TSchema } from 'typebox';
import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
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

export const SpaceCategory = t.Object(
  { id: t.Id(), name: t.Text(255), description: t.Text(2000) },
  { title: 'SpaceCategory' },
);
export const Space = t.Object(
  {
    id: t.Id(),
    external_id: t.Nullable(t.ExternalId()),
    parent_space_id: t.Nullable(t.Id()),
    name: t.Text(255),
    description: t.Text(10_000),
    avatar_url: t.Url(),
    visibility: t.OneOf(
      visibilities,
      'public: everybody sees it. private: everybody knows of it, members see inside. hidden: members only.',
    ),
    is_external: t.Flag(),
    is_corporate: t.Flag(),
    is_mandatory: t.Flag(),
    is_read_only: t.Flag('Only owners, admins, moderators and editors post.'),
    is_default: t.Flag('People are enrolled by themselves.'),
    auto_unenrol: t.Flag('Who no longer matches any rule leaves, if only a rule brought them in.'),
    categories: t.Array(SpaceCategory),
    is_archived: t.Flag(),
    member_count: t.Integer({ minimum: 0 }),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
    sequence: t.Integer(),
    permalink: t.Url(),
  },
  { title: 'Space' },
);
export const SpaceMember = t.Object({ ...User.properties, space_role: t.OneOf(spaceRoles) }, { title: 'SpaceMember' });
export const SpaceRules = t.Object(
  { rules: t.Array(t.Object({ team_ids: t.Array(t.Id()) })) },
  { title: 'SpaceRules' },
);

export const Membership = t.Object(
  {
    space_role: t.Nullable(t.OneOf(spaceRoles, 'Null: no member.')),
    see_inside: t.Flag(),
    may_join: t.Flag('It is public, and not archived.'),
    may_leave: t.Flag('It is not mandatory, and has another owner.'),
    may_manage: t.Flag('Members, roles and what the space says of itself.'),
    may_post: t.Flag(),
  },
  { title: 'Membership' },
);
const membership = { actors: 'person', reply: Membership, example: { params: { id: 1 } } } as const;

const attributes = {
  external_id: t.Optional(t.Nullable(t.ExternalId('Kept when omitted on replace.'))),
  parent_space_id: t.Optional(t.Nullable(t.Id())),
  description: t.Optional(t.Text(10_000)),
  visibility: t.Optional(t.OneOf(visibilities, 'Default public; kept when omitted on replace.')),
  is_external: t.Optional(t.Flag()),
  is_corporate: t.Optional(t.Flag()),
  is_mandatory: t.Optional(t.Flag()),
  is_read_only: t.Optional(t.Flag()),
  is_default: t.Optional(t.Flag('Without rules, everybody is enrolled.')),
  auto_unenrol: t.Optional(t.Flag()),
  category_ids: t.Optional(t.Array(t.Id(), { maxItems: 50 })),
};
export const NewSpace = t.Object({
  name: t.RequiredText(255),
  user_id: t.Optional(t.WriteOnly(t.Id('The creator, who is then listed as an owner. Default: the signed-in person.'))),
  user_external_id: t.Optional(t.WriteOnly(t.ExternalId('The creator by external id.'))),
  ...attributes,
});
export const SpaceReplacement = t.Object({ name: t.RequiredText(255), ...attributes });

const people = { maxItems: 10_000 };
const operations = ['add', 'remove', ...spaceRoles.map((role) => `set_as_${role}` as const)] as const;
type OperationField = `${'' | 'external_'}ids_to_${(typeof operations)[number]}`;
const operationFields = Object.fromEntries(
  operations.flatMap((operation): [string, TSchema][] => [
    [`ids_to_${operation}`, t.Optional(t.Array(t.Id(), people))],
    [`external_ids_to_${operation}`, t.Optional(t.Array(t.ExternalId(), people))],
  ]),
);
export const operationFieldNames = Object.keys(operationFields) as OperationField[];
/** Adding to and removing from a space and giving roles; every field has a form for ids and one for external ids. */
export const SpaceMembershipChange = t.Unsafe<{ [K in OperationField]?: (number | string)[] }>(
  t.Object(operationFields),
);

const errors = { external_id_taken: 409, parent_space_not_found: 400, category_not_found: 400, user_not_found: 400 };
const gone = t.Object({ id: t.Id() });
const changed = t.Object({ users_added: t.Integer(), users_removed: t.Integer(), users_updated: t.Integer() });
const listUsersQuery = t.Object({ space_role: t.Optional(t.OneOf(spaceRoles)) });

export const spaces = family('spaces', 'Rooms with members, roles and content.', {
  listSpaceCategories: endpoint('GET /v1/spaces/categories', 'List space categories', {
    description: 'Ordered by id.',
    list: SpaceCategory,
    example: {},
  }),
  createSpaceCategory: endpoint('POST /v1/spaces/categories', 'Create a space category', {
    scope: 'spaces.categories.write',
    roles: ['admin'],
    status: 201,
    body: t.Object({ name: t.RequiredText(255), description: t.Optional(t.Text(2000)) }),
    reply: SpaceCategory,
    errors: { name_taken: 409 },
    example: { body: { name: 'Regions' } },
  }),
  deleteSpaceCategory: endpoint('DELETE /v1/spaces/categories/{id}', 'Delete a space category', {
    scope: 'spaces.categories.write',
    roles: ['admin'],
    reply: gone,
    example: { params: { id: 1 } },
  }),

  listSpaces: endpoint('GET /v1/spaces', 'List spaces', {
    description:
      'Ordered by id. A key sees the visibilities its scopes name; a person sees public and private spaces and ' +
      'those they belong to.',
    query: t.Object({
      type: t.Optional(
        t.String({
          pattern: '^(?:[cC][oO][rR][pP][oO][rR][aA][tT][eE]|[cC][oO][mM][mM][uU][nN][iI][tT][yY])$',
          description: 'corporate or community, in any case.',
        }),
      ),
      is_archived: t.Optional(t.Flag()),
    }),
    list: Space,
    example: { query: { type: 'corporate' } },
  }),
  getSpace: endpoint('GET /v1/spaces/{id}', 'Read a space', {
    byExternalId: 'getSpaceByExternalId',
    reply: Space,
    example: { params: { id: 1, external_id: 'S-NEWS' } },
  }),
  createSpace: endpoint('POST /v1/spaces', 'Create a space', {
    status: 201,
    body: NewSpace,
    reply: Space,
    errors,
    emits: ['space.created'],
    example: { body: { name: 'Warehouse', user_external_id: 'E-1001', visibility: 'private' } },
  }),
  replaceSpace: endpoint('PUT /v1/spaces/{id}', 'Replace the attributes of a space', {
    byExternalId: 'replaceSpaceByExternalId',
    description:
      'Omitted attributes are reset; external_id and visibility are kept, so that an omission never opens a space.',
    body: SpaceReplacement,
    reply: Space,
    errors,
    emits: ['space.updated'],
    example: {
      params: { id: 2, external_id: 'S-NEWS' },
      body: { name: 'Store teams', description: 'For everybody in the stores.' },
    },
  }),
  archiveSpace: endpoint('POST /v1/spaces/{id}/archive', 'Archive a space', {
    description:
      'Its articles and events are archived with it, but for those that are also for another space that is not ' +
      'archived. What it features is not shown. An archived space stays archived.',
    reply: Space,
    emits: ['space.archived', 'article.archived', 'event.updated'],
    example: { params: { id: 2 } },
  }),
  unarchiveSpace: endpoint('POST /v1/spaces/{id}/unarchive', 'Bring a space back', {
    description: 'Brings back exactly the content that archiving the space archived.',
    reply: Space,
    emits: ['space.unarchived', 'article.unarchived', 'event.updated'],
    example: { params: { id: 2 } },
  }),
  deleteSpace: endpoint('DELETE /v1/spaces/{id}', 'Delete an empty space', {
    description: '409 while it has content or child spaces.',
    reply: gone,
    errors: { space_not_empty: 409 },
    example: { params: { id: 4 } },
  }),

  listSpaceUsers: endpoint('GET /v1/spaces/{id}/users', 'List the members of a space', {
    byExternalId: 'listSpaceUsersByExternalId',
    description: 'Active people, ordered by id.',
    query: listUsersQuery,
    list: SpaceMember,
    example: { params: { id: 1, external_id: 'S-NEWS' } },
  }),
  changeSpaceUsers: endpoint('PATCH /v1/spaces/{id}/users', 'Add and remove members and give roles', {
    byExternalId: 'changeSpaceUsersByExternalId',
    description:
      'Fields ids_to_add, ids_to_remove and ids_to_set_as_<role>, each also as external_ids_…; at least one. ' +
      'All or nothing; other memberships and roles stay. Giving a role adds who is no member.',
    body: SpaceMembershipChange,
    documented: 'multipart',
    reply: Space,
    meta: changed,
    example: {
      params: { id: 1, external_id: 'S-NEWS' },
      body: { ids_to_add: [5], ids_to_set_as_pages_editor: [3] },
    },
  }),

  getMembership: endpoint('GET /v1/spaces/{id}/membership', 'What I am in a space, and may do', membership),
  joinSpace: endpoint('POST /v1/spaces/{id}/membership', 'Join a space', {
    ...membership,
    scope: 'spaces.*.read',
    description: 'A public one; into others people are taken by who manages them.',
    example: { params: { id: 2 } },
  }),
  leaveSpace: endpoint('DELETE /v1/spaces/{id}/membership', 'Leave a space', {
    ...membership,
    scope: 'spaces.*.read',
    errors: { last_owner: 409 },
    example: { params: { id: 2 } },
  }),

  getDefaultRules: endpoint('GET /v1/spaces/{id}/default/rules', 'Read the enrolment rules', {
    reply: SpaceRules,
    example: { params: { id: 1 } },
  }),
  putDefaultRules: endpoint('PUT /v1/spaces/{id}/default/rules', 'Replace the enrolment rules', {
    description:
      'Who belongs to every team of one rule is enrolled, at once and on later team changes. ' +
      'Makes the space a default space.',
    body: t.Object({
      rules: t.Array(t.Object({ team_ids: t.Array(t.Id(), { minItems: 1, maxItems: 50 }) }), {
        minItems: 1,
        maxItems: 200,
      }),
    }),
    reply: SpaceRules,
    errors: { team_ids_not_found: 400 },
    example: { params: { id: 3 }, body: { rules: [{ team_ids: [1, 2] }] } },
  }),
  deleteDefaultRules: endpoint('DELETE /v1/spaces/{id}/default/rules', 'Remove the enrolment rules', {
    description:
      'The space is no default space any more. Members stay, but for those that rules alone brought in where ' +
      'auto_unenrol is on.',
    reply: SpaceRules,
    example: { params: { id: 3 } },
  }),
});

import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

export const roles = ['user', 'moderator', 'admin', 'developer', 'it_admin'] as const;

const userFields = {
  id: t.Id(),
  external_id: t.Nullable(t.ExternalId("The caller's own identifier.")),
  email: t.Email(),
  name: t.Text(511, 'First and last name.'),
  first_name: t.Text(255),
  last_name: t.Text(255),
  display_name: t.Nullable(t.Text(255)),
  avatar_url: t.Url('Never empty: initials, a PNG, until a photo is uploaded.'),
  job_title: t.Text(255),
  timezone: t.Nullable(t.Text(64, 'IANA zone, for example Europe/Berlin.')),
  locale: t.Nullable(t.Text(35, 'BCP 47.')),
  hire_date: t.Nullable(t.CalendarDate()),
  manager_id: t.Nullable(t.Id()),
  date_of_birth: t.Nullable(t.CalendarDate()),
  mobile_phone: t.Nullable(t.Text(64)),
  direct_dial: t.Nullable(t.Text(64)),
  has_logged_in: t.Flag(),
  created_at: t.Timestamp(),
  permalink: t.Url(),
  is_frontline: t.Flag('Works without a desk.'),
  has_access: t.Flag('May sign in.'),
  is_active: t.Flag('False after deactivation.'),
  roles: t.Array(t.OneOf(roles)),
  updated_at: t.Timestamp(),
};
const Named = t.Object({ id: t.Id(), name: t.Text(255) });
/** docs/interface.md, User. */
export const User = t.Object(userFields, { title: 'User' });
/** A user with what `expand` asked for. */
export const ExpandedUser = t.Object(
  {
    ...userFields,
    teams: t.Optional(t.Array(Named)),
    spaces: t.Optional(t.Array(Named)),
    manager: t.Optional(t.Nullable(User)),
  },
  { title: 'ExpandedUser' },
);
export const FrontlineStatus = t.Object(
  {
    id: t.Id(),
    external_id: t.Nullable(t.ExternalId()),
    email: t.Email(),
    name: t.Text(511),
    is_frontline: t.Flag(),
    has_access: t.Flag(),
    permalink: t.Url(),
  },
  { title: 'FrontlineStatus' },
);

const profile = {
  display_name: t.Optional(t.Nullable(t.Text(255))),
  job_title: t.Optional(t.Text(255)),
  timezone: t.Optional(t.Nullable(t.Timezone())),
  locale: t.Optional(t.Nullable(t.Language())),
  hire_date: t.Optional(t.Nullable(t.CalendarDate())),
  manager_id: t.Optional(t.Nullable(t.Id('Must be a user of the organisation.'))),
  manager_external_id: t.Optional(t.Nullable(t.ExternalId('The manager by external id, instead of manager_id.'))),
  date_of_birth: t.Optional(t.Nullable(t.CalendarDate())),
  mobile_phone: t.Optional(t.Nullable(t.Text(64))),
  direct_dial: t.Optional(t.Nullable(t.Text(64))),
};
export const NewUser = t.Object({
  email: t.Email(),
  first_name: t.RequiredText(255),
  last_name: t.RequiredText(255),
  external_id: t.Optional(t.Nullable(t.ExternalId())),
  ...profile,
  is_frontline: t.Optional(t.Flag()),
  has_access: t.Optional(t.Flag()),
});
export const UserReplacement = t.Object({
  email: t.Email(),
  first_name: t.RequiredText(255),
  last_name: t.RequiredText(255),
  external_id: t.Optional(t.Nullable(t.ExternalId('Kept when omitted.'))),
  ...profile,
  is_frontline: t.Optional(t.Flag('Kept when omitted.')),
  has_access: t.Optional(t.Flag('Kept when omitted.')),
  is_active: t.Optional(t.Flag('Kept when omitted; false deactivates, true reactivates.')),
});
const FrontlineChange = t.Object({ external_id: t.ExternalId(), is_frontline: t.Flag(), has_access: t.Flag() });

const expand = t.Optional(t.String({ maxLength: 100, description: 'Comma-separated: teams, spaces, manager.' }));
const conflicts = { email_taken: 409, external_id_taken: 409, manager_not_found: 400 };
const lastAdmin = { last_admin: 409 };
const photo = t.Object({ image: t.File('PNG, JPEG, GIF or WebP, at most 5 MB.') });
const example = { first_name: 'Noor', last_name: 'Haddad', email: 'noor.haddad@northwind.example' };

export const users = family('users', 'People of the organisation.', {
  listUsers: endpoint('GET /v1/users', 'List users', {
    description: 'Ordered by id. Deactivated users are left out unless `is_active` asks for them.',
    query: t.Object({
      in_spaces: t.Optional(t.IdList('Only members of one of these spaces.')),
      in_teams: t.Optional(t.IdList('Only members of one of these teams.')),
      email: t.Optional(t.Text(254, 'Exactly this e-mail address, in any case.')),
      is_active: t.Optional(t.OneOf(['true', 'false', 'all', '1', '0'], 'Default true.')),
      expand,
    }),
    list: ExpandedUser,
    example: { query: { take: 10, expand: 'teams' } },
  }),
  getUser: endpoint('GET /v1/users/{id}', 'Read a user', {
    byExternalId: 'getUserByExternalId',
    query: t.Object({ expand }),
    reply: ExpandedUser,
    example: { params: { id: 2, external_id: 'E-1001' } },
  }),
  getUserByEmail: endpoint('GET /v1/users/by-email/{email}', 'Read a user by e-mail address', {
    description: 'In any case.',
    params: t.Object({ email: t.RequiredText(254) }),
    query: t.Object({ expand }),
    reply: ExpandedUser,
    example: { params: { email: 'ada.okafor@northwind.example' } },
  }),
  createUser: endpoint('POST /v1/users', 'Create a user', {
    status: 201,
    body: NewUser,
    reply: User,
    errors: conflicts,
    emits: ['user.created'],
    example: { body: { ...example, external_id: 'E-2001' } },
  }),
  replaceUser: endpoint('PUT /v1/users/{id}', 'Replace a user', {
    byExternalId: 'replaceUserByExternalId',
    description:
      'Omitted profile fields are cleared. external_id, is_frontline, has_access and is_active are kept when omitted.',
    body: UserReplacement,
    reply: User,
    errors: { ...conflicts, ...lastAdmin },
    emits: ['user.updated', 'user.deactivated', 'user.reactivated'],
    example: { params: { id: 4, external_id: 'E-1003' }, body: { ...example, job_title: 'Store lead' } },
  }),
  deactivateUser: endpoint('DELETE /v1/users/{id}', 'Deactivate a user', {
    description: 'Ends every session before the answer is sent. What the person wrote stays.',
    reply: User,
    errors: lastAdmin,
    emits: ['user.deactivated'],
    example: { params: { id: 5 } },
  }),
  putProfilePhoto: endpoint('PUT /v1/users/{id}/profile-photo', 'Set the profile photo', {
    byExternalId: 'putProfilePhotoByExternalId',
    body: photo,
    documented: 'multipart',
    reply: User,
    errors: { image_invalid: 400 },
    emits: ['user.updated'],
    example: { params: { id: 2, external_id: 'E-1001' }, body: { image: 'file:portrait.png' } },
  }),
  putFrontlineStatus: endpoint('PUT /v1/users/frontline-status', 'Set the frontline status of many users', {
    description: 'All or nothing. Unknown external ids are listed in `meta.errors`.',
    body: t.Object({ users: t.Array(FrontlineChange, { minItems: 1, maxItems: 1000 }) }),
    reply: t.Array(FrontlineStatus),
    errors: lastAdmin,
    emits: ['user.updated'],
    example: { body: { users: [{ external_id: 'E-1001', is_frontline: true, has_access: true }] } },
  }),
  putRoles: endpoint('PUT /v1/admin/users/{id}/roles', "Set a person's roles", {
    description: 'Every person has the role `user`; an organisation always keeps one admin.',
    scope: 'admin.roles.write',
    roles: ['admin'],
    body: t.Object({ roles: t.Array(t.OneOf(roles), { maxItems: 100 }) }),
    reply: User,
    errors: lastAdmin,
    emits: ['user.updated'],
    example: { params: { id: 3 }, body: { roles: ['user', 'developer'] } },
  }),
});

import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { User } from '../users/contract.ts';

export const TeamType = t.Object({ id: t.Id(), name: t.Text(255) }, { title: 'TeamType' });
/** docs/interface.md, Team. */
export const Team = t.Object(
  {
    id: t.Id(),
    external_id: t.Nullable(t.ExternalId()),
    name: t.Text(255),
    avatar_url: t.Url(),
    permalink: t.Url(),
    team_type: TeamType,
    member_count: t.Integer({ minimum: 0 }),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
  },
  { title: 'Team' },
);

const body = t.Object({
  name: t.RequiredText(255),
  external_id: t.Optional(t.Nullable(t.ExternalId('Kept when omitted on replace.'))),
  team_type_id: t.Optional(t.Id('Default: the type "Team", made when it is missing.')),
  team_type: t.Optional(t.RequiredText(255, 'The type by name instead; made when it is missing.')),
});
const people = { maxItems: 10_000 };
export const MembershipChange = t.Object({
  ids_to_add: t.Optional(t.Array(t.Id(), people)),
  ids_to_remove: t.Optional(t.Array(t.Id(), people)),
  external_ids_to_add: t.Optional(t.Array(t.ExternalId(), people)),
  external_ids_to_remove: t.Optional(t.Array(t.ExternalId(), people)),
});
const changed = t.Object({ users_added: t.Integer(), users_removed: t.Integer() });
const errors = { external_id_taken: 409, name_taken: 409, team_type_not_found: 400 };
const gone = t.Object({ id: t.Id() });

export const teams = family('teams', 'Groups of people: departments, locations, shifts.', {
  listTeamTypes: endpoint('GET /v1/teams/types', 'List team types', {
    description: 'Ordered by id.',
    scope: 'teams.types.read',
    list: TeamType,
    example: {},
  }),
  createTeamType: endpoint('POST /v1/teams/types', 'Create a team type', {
    scope: 'teams.types.write',
    status: 201,
    body: t.Object({ name: t.RequiredText(255) }),
    reply: TeamType,
    errors: { name_taken: 409 },
    example: { body: { name: 'Shift' } },
  }),
  replaceTeamType: endpoint('PUT /v1/teams/types/{id}', 'Rename a team type', {
    scope: 'teams.types.write',
    body: t.Object({ name: t.RequiredText(255) }),
    reply: TeamType,
    errors: { name_taken: 409 },
    example: { params: { id: 1 }, body: { name: 'Division' } },
  }),
  deleteTeamType: endpoint('DELETE /v1/teams/types/{id}', 'Delete a team type', {
    description: '409 while a team has it.',
    scope: 'teams.types.write',
    reply: TeamType,
    errors: { team_type_in_use: 409 },
    example: { params: { id: 3 } },
  }),

  listTeams: endpoint('GET /v1/teams', 'List teams', {
    description: 'Ordered by id.',
    query: t.Object({
      team_type_id: t.Optional(t.Id()),
      name: t.Optional(t.Text(255, 'Exactly this name, in any case.')),
      user_ids: t.Optional(t.IdList('Only teams of one of these people.')),
    }),
    list: Team,
    example: { query: { take: 10 } },
  }),
  getTeam: endpoint('GET /v1/teams/{id}', 'Read a team', {
    byExternalId: 'getTeamByExternalId',
    reply: Team,
    example: { params: { id: 1, external_id: 'T-SALES' } },
  }),
  createTeam: endpoint('POST /v1/teams', 'Create a team', {
    status: 201,
    body,
    reply: Team,
    errors,
    example: { body: { name: 'Night shift', external_id: 'T-NIGHT', team_type: 'Department' } },
  }),
  replaceTeam: endpoint('PUT /v1/teams/{id}', 'Replace a team', {
    byExternalId: 'replaceTeamByExternalId',
    body,
    reply: Team,
    errors,
    example: { params: { id: 1, external_id: 'T-SALES' }, body: { name: 'Sales Europe', team_type: 'Department' } },
  }),
  deleteTeam: endpoint('DELETE /v1/teams/{id}', 'Delete a team', {
    description: 'Its people stay. Rules that name it are removed whole, so that none becomes wider.',
    reply: gone,
    example: { params: { id: 3 } },
  }),

  listTeamUsers: endpoint('GET /v1/teams/{id}/users', 'List the people of a team', {
    byExternalId: 'listTeamUsersByExternalId',
    description: 'Active people, ordered by id.',
    list: User,
    example: { params: { id: 1, external_id: 'T-SALES' } },
  }),
  changeTeamUsers: endpoint('PATCH /v1/teams/{id}/users', 'Add and remove people of a team', {
    byExternalId: {
      operation: 'changeTeamUsersByExternalId',
      documented: 'urlencoded',
      example: { params: { external_id: 'T-SALES' }, body: { external_ids_to_add: ['E-1004'] } },
    },
    description: 'All or nothing. People who are in or out already are not counted.',
    body: MembershipChange,
    documented: 'multipart',
    reply: Team,
    meta: changed,
    example: { params: { id: 1 }, body: { ids_to_add: [5] } },
  }),
});

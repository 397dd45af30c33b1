import type { Module } from '../../kernel/module.ts';
import { scopeFamilies } from '../../kernel/people/scopes.ts';
import { listsPeople } from '../users/deactivation.ts';
import { userExpansions, userFilters } from '../users/expansions.ts';
import { isMemberOf, teamMembersList, teamsOfUser } from './members.ts';
import { teamsList } from './queries.ts';
import { teamRoutes } from './routes.ts';

export const teams: Module = {
  name: 'teams',
  tables: ['teams', 'team_types', 'team_members'],
  routes: [teamRoutes],
  lists: [teamsList, teamMembersList],
  contributes: [
    scopeFamilies({ name: 'teams', roles: { user: ['read'], developer: ['*'], it_admin: ['*'] } }),
    listsPeople(teamMembersList),
    userExpansions({ name: 'teams', value: () => teamsOfUser }),
    userFilters({ name: 'in_teams', condition: (_actor, ids) => isMemberOf(ids) }),
  ],
};

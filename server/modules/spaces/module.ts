import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { followsTeam } from '../teams/members.ts';
import { personWritten } from '../users/arrival.ts';
import { listsPeople, outlivesPerson } from '../users/deactivation.ts';
import { userExpansions, userFilters } from '../users/expansions.ts';
import { enrolByTeam, enrolNewUser, removeRulesOfTeam, unenrolByTeam } from './enrolment.ts';
import * as events from './events.ts';
import { countOwnedAlone, isMemberOf, spaceMembersList, spacesOfUser } from './members.ts';
import { publicSpaces } from './queries.ts';
import { spaceRoutes } from './routes.ts';

export const spaces: Module = {
  name: 'spaces',
  tables: ['spaces', 'space_members', 'space_categories', 'space_category_links', 'space_rules', 'space_rule_teams'],
  routes: [spaceRoutes],
  events: Object.values(events),
  visibility: { space: publicSpaces },
  lists: [spaceMembersList],
  contributes: [
    everybodysFamily('spaces', { sensitive: ['hidden.*'] }),
    listsPeople(spaceMembersList),
    outlivesPerson({ name: 'spaces', count: countOwnedAlone }),
    personWritten(async (tx, user_id, is_new) => is_new && enrolNewUser(tx, user_id)),
    followsTeam({
      async changed(tx, team_id, added, removed) {
        await unenrolByTeam(tx, team_id, removed);
        await enrolByTeam(tx, team_id, added);
      },
      deleted: removeRulesOfTeam,
    }),
    userExpansions({ name: 'spaces', value: spacesOfUser }),
    userFilters({ name: 'in_spaces', condition: isMemberOf }),
  ],
};

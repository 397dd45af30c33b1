import type { Static } from 'typebox';
import type { Key, Paging } from '../../kernel/contract/contract.ts';
import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { routes } from '../../kernel/http/routes.ts';
import { additionsAndRemovals } from '../users/access.ts';
import { type MembershipChange, teams } from './contract.ts';
import { changeMembers, listTeamUsers } from './members.ts';
import * as queries from './queries.ts';

export const teamRoutes = routes(teams, {
  listTeamTypes: ({ tx, query }) => queries.listTeamTypes(tx, query.skip, query.take),
  createTeamType: ({ tx, body }) => queries.insertTeamType(tx, body.name),
  replaceTeamType: async ({ tx, params, body }) =>
    (await queries.updateTeamType(tx, params.id, body.name)) ?? refuseNotFound(),
  deleteTeamType: async ({ tx, params }) =>
    (await queries.deleteTeamType(tx, params.id).catch((error) => {
      if (error.constraint === 'teams__team_type_id_fkey')
        refuse('team_type_in_use', 'Teams have this type; give them another one first.');
      throw error;
    })) ?? refuseNotFound(),

  listTeams: ({ tx, query }) => queries.listTeams(tx, query),
  getTeam: async ({ tx, params }) => (await queries.findTeam(tx, await teamIdFor(tx, params.id))) ?? refuseNotFound(),
  createTeam: ({ tx, body }) =>
    tx.transaction(async (inside) => queries.insertTeam(inside, { ...body, team_type_id: await typeOf(inside, body) })),
  replaceTeam: async ({ tx, params, body }) => replace(tx, await teamIdFor(tx, params.id), body),
  deleteTeam: ({ tx, params }) =>
    tx.transaction(async (inside) => (await queries.deleteTeam(inside, params.id)) ?? refuseNotFound()),

  listTeamUsers: async ({ tx, params, query }) => listUsers(tx, await teamIdFor(tx, params.id), query),
  changeTeamUsers: async ({ tx, params, body }) => changeUsers(tx, await teamIdFor(tx, params.id), body),
});

const teamIdFor = async (tx: Tx, key: Key) =>
  typeof key === 'number' ? key : ((await queries.findTeamId(tx, String(key.external_id))) ?? refuseNotFound());

interface TypeChoice {
  team_type_id?: number;
  team_type?: string;
}
async function typeOf(tx: Tx, { team_type_id, team_type }: TypeChoice): Promise<number> {
  if (team_type_id === undefined) return queries.ensureTeamType(tx, team_type ?? 'Team');
  if (!(await queries.hasTeamType(tx, team_type_id)))
    refuse('team_type_not_found', 'There is no such team type.', { path: 'team_type_id' });
  return team_type_id;
}

const replace = (tx: Tx, id: number, body: TypeChoice & { name: string; external_id?: string | null }) =>
  tx.transaction(
    async (inside) =>
      (await queries.updateTeam(inside, id, { ...body, team_type_id: await typeOf(inside, body) })) ?? refuseNotFound(),
  );

async function listUsers(tx: Tx, id: number, page: Paging) {
  if (!(await queries.findTeam(tx, id))) refuseNotFound();
  return listTeamUsers(tx, id, page);
}

const changeUsers = (tx: Tx, id: number, body: Static<typeof MembershipChange>) =>
  tx.transaction(async (inside) => {
    if (!(await queries.lockTeam(inside, id))) refuseNotFound();
    const { add, remove } = await additionsAndRemovals(inside, body);
    const { added, removed } = await changeMembers(inside, id, add, remove);
    if (added.length + removed.length > 0) await queries.touchTeams(inside, [id]);
    const data = (await queries.findTeam(inside, id)) ?? refuseNotFound();
    return { data, meta: { users_added: added.length, users_removed: removed.length } };
  });

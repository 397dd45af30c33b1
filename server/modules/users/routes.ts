import type { Static } from 'typebox';
import { type FieldError, refuse, refuseFields, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { userIdFor } from './access.ts';
import { refuseLastAdmins, refuseTakingOver } from './admins.ts';
import { tellWritten } from './arrival.ts';
import { type UserReplacement, users } from './contract.ts';
import { type Cause, causeOf, deactivate, reactivate, signOut } from './deactivation.ts';
import { type Expansion, expansionNames } from './expansions.ts';
import { updateFrontlineStatus } from './frontline.ts';
import { setPhoto } from './photos.ts';
import * as queries from './queries.ts';

export const userRoutes = routes(users, {
  async listUsers({ tx, actor, query: { is_active = 'true', expand, ...filter } }) {
    const classes = { true: [0], 1: [0], false: [1, 3], 0: [1, 3], all: [0, 1, 3] }[is_active];
    return queries.listUsers(tx, actor, { ...filter, classes, expand: expansionOf(expand) });
  },
  getUser: (call) => read(call, call.params.id),
  getUserByEmail: (call) => read(call, { email: call.params.email }),

  createUser: ({ tx, body }) =>
    tx.transaction(async (inside) => {
      const user = await queries.insertUser(inside, { ...body, manager_id: await managerOf(inside, body) });
      const { id } = JSON.parse(user) as { id: number };
      await tellWritten(inside, id, true);
      return user;
    }),
  replaceUser: async (call) => replace(call, await userIdFor(call.tx, call.params.id), causeOf(call)),
  deactivateUser: (call) => deactivate(call.tx, call.params.id, causeOf(call)),
  putProfilePhoto: async ({ tx, params, body, services }) =>
    setPhoto(tx, services, await userIdFor(tx, params.id), body.image),

  async putFrontlineStatus(call) {
    const { tx, body } = call;
    refuseRepeated(body.users.map(({ external_id }) => external_id));
    return tx.transaction(async (inside) => {
      const result = await updateFrontlineStatus(inside, body.users);
      if (result?.unknown)
        refuseFields(
          result.unknown.map((n) => ({
            path: `users[${n}].external_id`,
            message: `names no user: ${body.users[n]?.external_id}`,
          })),
        );
      const ended = result?.ended ?? [];
      await refuseLastAdmins(inside, ended, 'users');
      await signOut(inside, ended, causeOf(call));
      return result?.shown as Json;
    });
  },

  putRoles: ({ tx, params, body }) =>
    tx.transaction(async (inside) => {
      const user = (await queries.lockUser(inside, params.id)) ?? refuseNotFound();
      const roles = [...new Set(['user' as const, ...body.roles])];
      if (!roles.includes('admin')) await refuseLastAdmins(inside, [user.id], 'roles');
      return queries.updateUserRoles(inside, user.id, roles);
    }),
});

async function read(
  { tx, actor, query }: Pick<Call, 'tx' | 'actor'> & { query: { expand?: string } },
  key: queries.UserKey,
) {
  const expand = expansionOf(query.expand);
  const user =
    expand.length > 0 ? await queries.findExpandedUser(tx, actor, key, expand) : await queries.findUserBy(tx, key);
  return user ?? refuseNotFound();
}

function expansionOf(text = ''): Expansion[] {
  const names = text.split(',').filter((name) => name !== '');
  return names.map(
    (name) =>
      expansionNames.find((known) => known === name) ??
      refuseInvalid('expand', `may hold ${expansionNames.join(', ')}, not ${name}`),
  );
}

interface Replacing extends Pick<Call, 'tx' | 'actor'> {
  body: Static<typeof UserReplacement>;
}
async function replace({ tx, actor, body }: Replacing, id: number, cause: Cause): Promise<Json> {
  return tx.transaction(async (inside) => {
    await refuseTakingOver(inside, actor, id, body.email);
    const manager_id = await managerOf(inside, body);
    if (manager_id === id) refuseInvalid('manager_id', 'must be somebody else');
    const user = (await queries.updateUser(inside, id, { ...body, manager_id })) ?? refuseNotFound();
    await tellWritten(inside, id, false);
    if (body.has_access === false) {
      await refuseLastAdmins(inside, [id], 'has_access');
      await signOut(inside, [id], cause);
    }
    if (body.is_active === undefined) return user;
    return body.is_active ? reactivate(inside, id) : deactivate(inside, id, cause);
  });
}

async function managerOf(
  tx: Tx,
  { manager_id, manager_external_id }: { manager_id?: number | null; manager_external_id?: string | null },
) {
  if (manager_external_id == null) return manager_id;
  return (
    (await queries.findUserId(tx, manager_external_id)) ??
    refuse('manager_not_found', `There is no user with the external id ${manager_external_id}.`, {
      path: 'manager_external_id',
    })
  );
}

function refuseRepeated(external_ids: readonly string[]) {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  external_ids.forEach((external_id, i) => {
    if (seen.has(external_id))
      errors.push({ path: `users[${i}].external_id`, message: `occurs twice: ${external_id}` });
    seen.add(external_id);
  });
  if (errors.length > 0) refuseFields(errors);
}

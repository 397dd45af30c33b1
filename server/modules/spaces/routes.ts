import type { Static } from 'typebox';
import type { Key, Paging } from '../../kernel/contract/contract.ts';
import {
  type FieldError,
  refuse,
  refuseFields,
  refuseForbidden,
  refuseInvalid,
  refuseNotFound,
} from '../../kernel/contract/errors.ts';
import { noteChange } from '../../kernel/data/changes.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { existingTeams } from '../teams/queries.ts';
import { authorOf, namedPerson, peopleOf } from '../users/access.ts';
import { happened } from '../users/happenings.ts';
import { spaceFor } from './access.ts';
import { deleteSpaceCategory, insertSpaceCategory, listSpaceCategories, replaceCategoryLinks } from './categories.ts';
import { operationFieldNames, type SpaceReplacement, type SpaceRole, spaces } from './contract.ts';
import * as enrolment from './enrolment.ts';
import { followsSpace } from './following.ts';
import * as members from './members.ts';
import * as queries from './queries.ts';

export const spaceRoutes = routes(spaces, {
  listSpaceCategories: ({ tx, query }) => listSpaceCategories(tx, query.skip, query.take),
  createSpaceCategory: ({ tx, body }) => insertSpaceCategory(tx, body.name, body.description ?? ''),
  deleteSpaceCategory: async ({ tx, params }) => (await deleteSpaceCategory(tx, params.id)) ?? refuseNotFound(),

  listSpaces: ({ tx, actor, query: { type, ...filter } }) =>
    queries.listSpaces(tx, actor, {
      ...filter,
      is_corporate: type === undefined ? undefined : type.toLowerCase() === 'corporate',
    }),
  getSpace: async ({ tx, actor, params }) => queries.getSpace(tx, (await spaceFor(tx, actor, params.id, 'know')).id),
  createSpace: ({ tx, actor, body }) =>
    tx.transaction(async (inside) => {
      const owner = await creatorOf(inside, actor, body);
      if (body.parent_space_id) await parentFor(inside, actor, body.parent_space_id);
      const id = await queries.insertSpace(inside, body);
      if (body.category_ids) await linkCategories(inside, id, body.category_ids);
      if (owner) await members.upsertMembers(inside, id, [owner], 'owner');
      if (body.is_default) await enrolment.enrolBySpace(inside, id);
      return queries.announceCreated(inside, id);
    }),
  replaceSpace: (call) => replace(call, call.params.id, call.body),
  archiveSpace: (call) => archive(call, call.params.id, true),
  unarchiveSpace: (call) => archive(call, call.params.id, false),
  deleteSpace: ({ tx, actor, params }) =>
    tx.transaction(async (inside) => {
      const { id } = await spaceFor(inside, actor, params.id, 'own');
      await queries.lockToDelete(inside, id);
      if (await queries.hasContent(inside, id))
        refuse(
          'space_not_empty',
          'The space has content or child spaces. Delete or move them first, or archive the space.',
        );
      for (const { deleted } of followsSpace.all) await deleted?.(inside, id);
      return (await queries.deleteSpace(inside, id)) ?? refuseNotFound();
    }),

  listSpaceUsers: (call) => listUsers(call, call.params.id, call.query),
  changeSpaceUsers: (call) => changeUsers(call, call.params.id, call.body),

  getMembership: async ({ tx, actor, params }) =>
    members.getMembership(tx, actor, (await spaceFor(tx, actor, params.id, 'know')).id),
  joinSpace: ({ tx, actor, params }) =>
    tx.transaction(async (inside) => {
      const { id, visibility, is_archived } = await spaceFor(inside, actor, params.id, 'see');
      if (visibility !== 'public' || is_archived)
        refuseForbidden('People are taken into this space by who manages it.');
      await members.upsertMembers(inside, id, [actor.user_id], undefined);
      return members.getMembership(inside, actor, id);
    }),
  leaveSpace: ({ tx, actor, params }) =>
    tx.transaction(async (inside) => {
      const { id } = await spaceFor(inside, actor, params.id, 'see');
      const is = await members.lockMembership(inside, id, actor.user_id);
      if (is?.is_mandatory) refuseForbidden('This space is for everybody who was taken into it.');
      if (is?.is_last_owner) refuse('last_owner', 'You are its only owner. Make somebody else an owner first.');
      await members.deleteMembers(inside, id, [actor.user_id]);
      return members.getMembership(inside, actor, id);
    }),

  getDefaultRules: async ({ tx, actor, params }) =>
    enrolment.getRules(tx, (await spaceFor(tx, actor, params.id, 'manage')).id),
  putDefaultRules: ({ tx, actor, params, body }) =>
    tx.transaction(async (inside) => {
      const { id } = await spaceFor(inside, actor, params.id, 'manage');
      const rules = body.rules.map(({ team_ids }) => team_ids);
      await refuseUnknownTeams(inside, rules);
      await enrolment.deleteRules(inside, id);
      await enrolment.insertRules(inside, id, rules);
      await enrolment.setDefault(inside, id, true);
      await enrolment.unenrolBySpace(inside, id);
      await enrolment.enrolBySpace(inside, id);
      return enrolment.getRules(inside, id);
    }),
  deleteDefaultRules: ({ tx, actor, params }) =>
    tx.transaction(async (inside) => {
      const { id } = await spaceFor(inside, actor, params.id, 'manage');
      await enrolment.deleteRules(inside, id);
      await enrolment.setDefault(inside, id, false);
      await enrolment.unenrolBySpace(inside, id);
      return enrolment.getRules(inside, id);
    }),
});

type Asked = Pick<Call, 'tx' | 'actor'>;

/** A key may name nobody: the space then has no owner yet. */
const creatorOf = async (tx: Tx, actor: Actor, body: { user_id?: number; user_external_id?: string }) =>
  actor.kind !== 'key' ? authorOf(tx, actor, body) : namedPerson(tx, body);

const parentFor = (tx: Tx, actor: Actor, id: number) =>
  spaceFor(tx, actor, id, 'manage').catch((error) => {
    if (error.code === 'not_found')
      refuse('parent_space_not_found', 'There is no such space.', { path: 'parent_space_id' });
    throw error;
  });

const linkCategories = (tx: Tx, id: number, category_ids: readonly number[]) =>
  replaceCategoryLinks(tx, id, category_ids).catch((error) => {
    if (error.constraint === 'space_category_links__category_id_fkey')
      refuse('category_not_found', 'There is no such space category.', { path: 'category_ids', cause: error });
    throw error;
  });

const replace = ({ tx, actor }: Asked, key: Key, body: Static<typeof SpaceReplacement>) =>
  tx.transaction(async (inside) => {
    const { id, visibility } = await spaceFor(inside, actor, key, 'manage');
    if (body.parent_space_id) {
      await parentFor(inside, actor, body.parent_space_id);
      if (await queries.isBelow(inside, id, body.parent_space_id))
        refuseInvalid('parent_space_id', 'must not be the space itself or below it');
    }
    await queries.updateSpace(inside, id, body);
    if (body.visibility !== undefined && body.visibility !== visibility) {
      for (const { visibilityChanged } of followsSpace.all) await visibilityChanged?.(inside, id);
      await noteChange(inside, 'space', id);
    }
    await linkCategories(inside, id, body.category_ids ?? []);
    if (body.is_default) await enrolment.enrolBySpace(inside, id);
    return queries.announceUpdated(inside, id);
  });

const archive = ({ tx, actor }: Asked, key: Key, archived: boolean) =>
  tx.transaction(async (inside) => {
    const { id } = await spaceFor(inside, actor, key, 'own');
    await queries.awaitArchival(inside);
    if (!(await queries.setArchived(inside, id, archived))) return queries.getSpace(inside, id);
    for (const { archived: follow } of followsSpace.all) await follow?.(inside, id, archived);
    return archived ? queries.announceArchived(inside, id) : queries.announceUnarchived(inside, id);
  });

async function listUsers({ tx, actor }: Asked, key: Key, { space_role, ...page }: Paging & { space_role?: SpaceRole }) {
  const { id } = await spaceFor(tx, actor, key, 'see');
  return members.listSpaceUsers(tx, id, space_role, page);
}

async function noteMembers(tx: Tx, actor: Actor, space_id: number, changes: readonly members.MemberChange[]) {
  for (const isNew of [true, false]) {
    const user_ids = changes.filter(({ added }) => added === isNew).map(({ user_id }) => user_id);
    const kind = isNew ? 'member_added' : 'role_given';
    if (user_ids.length > 0) await happened(tx, { kind, thing_id: space_id, actor_id: actor.user_id, user_ids });
  }
}

type Change = { [K in (typeof operationFieldNames)[number]]?: (number | string)[] };
const changeUsers = ({ tx, actor }: Asked, key: Key, body: Change) =>
  tx.transaction(async (inside) => {
    const { id } = await spaceFor(inside, actor, key, 'manage');
    const operations = await operationsOf(inside, body);
    await guardOwnership(inside, actor, id, operations);
    const meta = { users_added: 0, users_removed: 0, users_updated: 0 };
    for (const [operation, user_ids] of operations) {
      if (operation === 'remove') meta.users_removed += (await members.deleteMembers(inside, id, user_ids)).length;
      else {
        const changes = await members.upsertMembers(
          inside,
          id,
          user_ids,
          operation === 'add' ? undefined : (operation.slice('set_as_'.length) as SpaceRole),
        );
        await noteMembers(inside, actor, id, changes);
        meta.users_added += changes.filter(({ added }) => added).length;
        meta.users_updated += changes.filter(({ added }) => !added).length;
      }
    }
    return { data: await queries.getSpace(inside, id), meta };
  });

/** Operation -> people, each in one operation at most, but for add beside a role, which says the same twice. */
async function operationsOf(tx: Tx, body: Change): Promise<Map<string, number[]>> {
  const given = operationFieldNames.filter((field) => body[field] !== undefined);
  if (given.length === 0) refuseFields([{ path: '', message: 'needs at least one operation, for example ids_to_add' }]);
  const people = await peopleOf(
    tx,
    given.map((field) => ({ field, values: body[field] ?? [], external: field.startsWith('external_') })),
  );
  const operations = new Map<string, number[]>();
  const chosen = new Map<number, { operation: string; field: string }>();
  const errors: FieldError[] = [];
  for (const [field, ids] of people) {
    const operation = field.replace(/^(external_)?ids_to_/, '');
    for (const id of new Set(ids)) {
      const earlier = chosen.get(id);
      const agrees =
        !earlier || earlier.operation === operation || (earlier.operation === 'add' && operation.startsWith('set_as_'));
      if (!agrees) errors.push({ path: field, message: `contradicts ${earlier.field} for user ${id}` });
      chosen.set(id, { operation, field });
    }
  }
  if (errors.length > 0) refuseFields(errors);
  for (const [id, { operation }] of chosen) operations.set(operation, [...(operations.get(operation) ?? []), id]);
  return operations;
}

/** Only an owner (or a key, or an admin of the organisation) makes and unmakes owners. */
async function guardOwnership(tx: Tx, actor: Actor, space_id: number, operations: ReadonlyMap<string, number[]>) {
  if (isUnbounded(actor)) return;
  const demoted = [...operations]
    .filter(([operation]) => operation !== 'add' && operation !== 'set_as_owner')
    .flatMap(([, ids]) => ids);
  if (operations.has('set_as_owner') || (await members.hasOwnerAmong(tx, space_id, demoted)))
    await spaceFor(tx, actor, space_id, 'own');
}

async function refuseUnknownTeams(tx: Tx, rules: readonly (readonly number[])[]) {
  const known = await existingTeams(tx, rules.flat());
  const errors = rules.flatMap((ids, rule) =>
    ids.flatMap((id, n): FieldError[] =>
      known.has(id) ? [] : [{ path: `rules[${rule}].team_ids[${n}]`, message: `There is no team ${id}.` }],
    ),
  );
  if (errors.length > 0) refuse('team_ids_not_found', 'A rule names a team that does not exist.', { errors });
}

// What happens to teams through SCIM, as groups: create, read, replace, PATCH, delete. Members are never loaded to be
// changed: each operation becomes a statement over the ids it names, so a group of any size is patched.
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { changeMembers } from '../teams/members.ts';
import { deleteTeam, ensureTeamType, insertTeam, lockTeam, renameTeam, touchTeams } from '../teams/queries.ts';
import { type Attribute, attributeOf } from './attributes.ts';
import { type Change, idIn, requireVersion, type ScimAnswer, type ScimCall, type ScimHandler } from './call.ts';
import { canonical, readDocument } from './canonical.ts';
import { changesBetween } from './changes.ts';
import { memberCondition } from './conditions.ts';
import { assigned, type Document, entriesIn, fieldOf, isObject, only } from './document.ts';
import { refuse, refuseNotFound } from './errors.ts';
import { parseTarget } from './filter.ts';
import { findGroupRow, findStrangers, lockAdoptable } from './group-queries.ts';
import { type Operation, patched, readOperations } from './patch.ts';
import { groupVersion, readAnswer, renderGroup, showsMembers, writeAnswer } from './resources.ts';
import { groupType } from './schemas.ts';

export const createGroup: ScimHandler = (call) => {
  const { members, ...document } = readDocument(groupType, call.body);
  const { name, external_id } = fieldsOf(document);
  const { adopts_teams, group_team_type } = call.settings;
  return call.tx.transaction(async (tx) => {
    let id = adopts_teams ? await lockAdoptable(tx, name) : undefined;
    if (id !== undefined) await renameTeam(tx, id, name, external_id);
    else {
      const team_type_id = await ensureTeamType(tx, group_team_type);
      id = (JSON.parse(await insertTeam(tx, { name, external_id, team_type_id })) as { id: number }).id;
    }
    const moved = await move(tx, id, idsOf(members), []);
    await touchTeams(tx, [id]);
    const row = await rowOf(tx, id, showsMembers(call));
    return writeAnswer(201, renderGroup(call, row), [...changesBetween({}, document), ...ofMembers([moved])]);
  });
};

export const getGroup: ScimHandler = async (call) =>
  readAnswer(call, renderGroup(call, await rowOf(call.tx, idIn(call.id), showsMembers(call))));

export const replaceGroup: ScimHandler = (call) => {
  const { members, ...document } = readDocument(groupType, call.body);
  return change(call, async (tx, id, before) => ({
    next: { ...only(before, ['externalId']), ...document },
    moves: [await replaceMembers(tx, id, members)],
  }));
};

export const patchGroup: ScimHandler = (call) => {
  const operations = readOperations(call.body).flatMap(withoutPathApart);
  return change(call, async (tx, id, before) => {
    let next = before;
    const moves: Move[] = [];
    for (const operation of operations)
      if (/^(urn:.*:)?members\b/i.test(operation.path ?? '')) moves.push(await patchMembers(tx, id, operation));
      else next = patched(groupType, next, [operation]);
    return { next, moves };
  });
};
/** Members of a value without a path become operations of their own. */
function withoutPathApart(operation: Operation): Operation[] {
  const { op, path, value } = operation;
  if (path !== undefined || !isObject(value)) return [operation];
  const isChangeable = ([name]: [string, unknown]) => !['id', 'schemas', 'meta'].includes(name.toLowerCase());
  const fields = Object.entries(value).filter(isChangeable);
  return fields.map(([name, inner]) => ({ op, path: name, value: inner }));
}

export const deleteGroup: ScimHandler = (call) =>
  call.tx.transaction(async (tx) => {
    const { id } = await lockedRow(tx, call);
    await deleteTeam(tx, id);
    return { status: 204, resource: { type: 'Group', id } };
  });

type Edit = (tx: Tx, id: number, before: Document) => Promise<{ next: Document; moves: Move[] }>;
const change = (call: ScimCall, edit: Edit): Promise<ScimAnswer> =>
  call.tx.transaction(async (tx) => {
    const { id, name, external_id } = await lockedRow(tx, call);
    const before = assigned({ displayName: name, externalId: external_id });
    const { next, moves } = await edit(tx, id, before);
    const fields = fieldsOf(next);
    const changes = [...changesBetween(before, next), ...ofMembers(moves)];
    if (changes.length > 0) await renameTeam(tx, id, fields.name, fields.external_id);
    // RFC 7644 3.5.2: members are many, so a PATCH is answered with the group only when the client names attributes.
    const isShown = call.method !== 'PATCH' || fieldOf(call.query, 'attributes') !== undefined;
    const answer = writeAnswer(200, renderGroup(call, await rowOf(tx, id, isShown && showsMembers(call))), changes);
    return isShown ? answer : { ...answer, status: 204, body: undefined };
  });

async function lockedRow(tx: Tx, call: ScimCall) {
  await lockTeam(tx, idIn(call.id));
  const row = await rowOf(tx, idIn(call.id), false);
  requireVersion(call, groupVersion(row));
  return row;
}
const rowOf = async (tx: Tx, id: number, withMembers: boolean) =>
  (await findGroupRow(tx, id, withMembers)) ?? refuseNotFound();

function fieldsOf({ displayName, externalId = null }: Document) {
  if (typeof displayName !== 'string') return refuse('invalidValue', 'displayName is required.');
  for (const [name, value] of Object.entries({ displayName, externalId }))
    if (String(value).length > 255) refuse('invalidValue', `${name} has more than 255 characters.`);
  return { name: displayName, external_id: externalId as string | null };
}

// ---- Members -----------------------------------------------------------------------------------------------------

/** Who was in fact added and removed. */
type Move = Awaited<ReturnType<typeof changeMembers>>;
function ofMembers(moves: readonly Move[]): Change[] {
  const [added, removed] = [moves.flatMap((one) => one.added).length, moves.flatMap((one) => one.removed).length];
  return added + removed === 0 ? [] : [{ attribute: 'members', from: { removed }, to: { added } }];
}

async function move(tx: Tx, id: number, add: readonly number[], remove: Sql | readonly number[]): Promise<Move> {
  const strangers = add.length > 0 ? await findStrangers(tx, add) : [];
  if (strangers.length > 0) refuse('invalidValue', `There is no user ${strangers.join(', ')}.`);
  return changeMembers(tx, id, add, remove);
}
function replaceMembers(tx: Tx, id: number, members: unknown): Promise<Move> {
  const ids = idsOf(members);
  return move(tx, id, ids, sql`not ${isOneOf(ids)}`);
}
async function patchMembers(tx: Tx, id: number, { op, path = '', value }: Operation): Promise<Move> {
  const { filter, sub } = parseTarget(path);
  if (filter && sub !== undefined && sub.toLowerCase() !== 'value') return { added: [], removed: [] };
  const members = () => canonical(membersAttribute, value);
  if (op === 'remove') {
    const named = value == null ? trusted('true') : isOneOf(idsOf(members()));
    return move(tx, id, [], filter ? memberCondition(filter) : named);
  }
  if (filter) return refuse('noTarget', 'A member cannot be changed, only added and removed.');
  return op === 'replace' ? replaceMembers(tx, id, members()) : move(tx, id, idsOf(members()), []);
}

const isOneOf = (ids: readonly number[]) => sql`m.user_id = any(${ids}::bigint[])`;
const membersAttribute = attributeOf(groupType.core.attributes, 'members') as Attribute;
const idsOf = (members: unknown): number[] => [...new Set(entriesIn(members).map(idOf))];
function idOf({ value, $ref }: Document): number {
  const named = String(value ?? $ref).slice(-200);
  return idIn(value ?? named.split('/').at(-1)) || refuse('invalidValue', `There is no user "${named}".`);
}

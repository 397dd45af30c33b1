// Groups are teams. Members are never loaded to be changed: each operation becomes a statement over the ids it names, so a
// group of any size is patched in the memory of the request.
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql } from '../../kernel/data/sql.ts';
import { enrolByTeam, removeRulesOfTeam, unenrolByTeam } from '../spaces/enrolment.ts';
import { insertTeamMembers } from '../teams/members.ts';
import { deleteTeam, ensureTeamType, insertTeam, touchTeams } from '../teams/queries.ts';
import {
  type Change,
  idOf,
  isKnown,
  parameter,
  requireVersion,
  type ScimAnswer,
  type ScimCall,
  type ScimHandler,
} from './call.ts';
import { changesBetween } from './changes.ts';
import { memberCondition } from './conditions.ts';
import { canonical, type Document, isObject, readDocument } from './document.ts';
import { bad, refuseNotFound } from './errors.ts';
import { parseTarget } from './filter.ts';
import { type Operation, patched, readOperations } from './patch.ts';
import * as queries from './queries.ts';
import { groupVersion, namesIn, renderGroup } from './resources.ts';
import { type Attribute, attributeOf, groupType } from './schemas.ts';

const membersAttribute = attributeOf(groupType.core.attributes, 'members') as Attribute;

export const createGroup: ScimHandler = (call) => {
  const { members, ...document } = readDocument(groupType, call.body);
  const { name, external_id } = fieldsOf(document);
  return call.tx.transaction(async (tx) => {
    const adopted = call.settings.adopts_teams ? await queries.findAdoptable(tx, name) : undefined;
    if (adopted) await queries.updateGroup(tx, adopted.id, name, external_id);
    const id = adopted?.id ?? (await insert(tx, call, name, external_id));
    const moved = await addMembers(tx, id, idsOf(members));
    await touchTeams(tx, [id]);
    return answerWith(tx, call, id, 201, [...changesBetween({}, document), ...membersChange(moved.length, 0)]);
  });
};

async function insert(tx: Tx, { settings }: ScimCall, name: string, external_id: string | null): Promise<number> {
  const team_type_id = await ensureTeamType(tx, settings.group_team_type);
  return (JSON.parse(await insertTeam(tx, { name, external_id, team_type_id })) as { id: number }).id;
}

export const getGroup: ScimHandler = async (call) => {
  const row = (await queries.findGroupRow(call.tx, idOf(call), wantsMembers(call))) ?? refuseNotFound();
  const { text, version, location } = renderGroup(call, row);
  const headers = { etag: version, 'content-location': location };
  const resource = { type: 'Group', id: row.id } as const;
  return isKnown(call, version) ? { status: 304, headers, resource } : { status: 200, body: text, headers, resource };
};

export const replaceGroup: ScimHandler = (call) => {
  const { members, ...document } = readDocument(groupType, call.body);
  return change(call, async (tx, id, before) => {
    const next = { ...(before.externalId === undefined ? {} : { externalId: before.externalId }), ...document };
    const { added, removed } = await replaceMembers(tx, id, idsOf(members));
    return { next, added, removed };
  });
};

export const patchGroup: ScimHandler = (call) => {
  const operations = readOperations(call.body).flatMap(withoutPathApart);
  return change(call, async (tx, id, before) => {
    let next = before;
    let [added, removed] = [0, 0];
    for (const operation of operations) {
      if (!isOfMembers(operation)) {
        next = patched(groupType, next, [operation]);
        continue;
      }
      const moved = await changeMembers(tx, id, operation);
      added += moved.added;
      removed += moved.removed;
    }
    return { next, added, removed };
  });
};

export const deleteGroup: ScimHandler = (call) =>
  call.tx.transaction(async (tx) => {
    const { id } = await locked(tx, call);
    await removeRulesOfTeam(tx, id);
    await deleteTeam(tx, id);
    return { status: 204, resource: { type: 'Group', id } as const };
  });

interface Edited {
  next: Document;
  added: number;
  removed: number;
}
const change = (call: ScimCall, edit: (tx: Tx, id: number, before: Document) => Promise<Edited>): Promise<ScimAnswer> =>
  call.tx.transaction(async (tx) => {
    const row = await locked(tx, call);
    const before: Document = {
      displayName: row.name,
      ...(row.external_id === null ? {} : { externalId: row.external_id }),
    };
    const { next, added, removed } = await edit(tx, row.id, before);
    const changes = [...changesBetween(before, next), ...membersChange(added, removed)];
    if (changes.length > 0) {
      const { name, external_id } = fieldsOf(next);
      await queries.updateGroup(tx, row.id, name, external_id);
      await touchTeams(tx, [row.id]);
    }
    return answerWith(tx, call, row.id, call.isPatch ? 204 : 200, changes);
  });

async function locked(tx: Tx, call: ScimCall) {
  const id = idOf(call);
  await queries.lockGroup(tx, id);
  const row = (await queries.findGroupRow(tx, id, false)) ?? refuseNotFound();
  requireVersion(call, groupVersion(row));
  return row;
}

function fieldsOf({ displayName, externalId }: Document) {
  if (typeof displayName !== 'string') return bad('invalidValue', 'displayName is required.');
  if (displayName.length > 255) bad('invalidValue', 'displayName has more than 255 characters.');
  if (typeof externalId === 'string' && externalId.length > 255)
    bad('invalidValue', 'externalId has more than 255 characters.');
  return { name: displayName, external_id: typeof externalId === 'string' ? externalId : null };
}

/** A PATCH is answered with the group only when the client names attributes: RFC 7644 3.5.2 allows 204, and members are many. */
async function answerWith(
  tx: Tx,
  call: ScimCall,
  id: number,
  status: number,
  changes: readonly Change[],
): Promise<ScimAnswer> {
  const asked = parameter(call.query, 'attributes') !== undefined;
  const row = (await queries.findGroupRow(tx, id, (status !== 204 || asked) && wantsMembers(call))) ?? refuseNotFound();
  const { text, version, location } = renderGroup(call, row);
  const answer = {
    headers: { etag: version, location, 'content-location': location },
    resource: { type: 'Group', id } as const,
    changes,
  };
  return status === 204 && !asked
    ? { status, ...answer }
    : { status: status === 204 ? 200 : status, body: text, ...answer };
}
const wantsMembers = ({ query }: ScimCall) =>
  !namesIn(parameter(query, 'excludedAttributes')).some((name) => /(^|:)members$/.test(name));

// ---- Members -----------------------------------------------------------------------------------------------------

const isOfMembers = ({ path }: Operation) => path !== undefined && /^(urn:.*:)?members\b/i.test(path);

/** Members of a value without a path become operations of their own. */
function withoutPathApart(operation: Operation): Operation[] {
  const { op, path, value } = operation;
  if (path !== undefined || !isObject(value)) return [operation];
  return Object.entries(value).flatMap(([name, inner]): Operation[] =>
    ['id', 'schemas', 'meta'].includes(name.toLowerCase()) ? [] : [{ op, path: name, value: inner }],
  );
}

async function changeMembers(
  tx: Tx,
  id: number,
  { op, path = '', value }: Operation,
): Promise<{ added: number; removed: number }> {
  const { filter, sub } = parseTarget(path);
  if (sub !== undefined && sub.toLowerCase() !== 'value') return { added: 0, removed: 0 };
  if (op === 'remove') {
    const named = value === undefined || value === null ? undefined : idsOf(canonical(membersAttribute, value));
    const condition = filter ? memberCondition(filter) : named ? sql`m.user_id = any(${named}::bigint[])` : sql`true`;
    return { added: 0, removed: (await removeMembers(tx, id, condition)).length };
  }
  if (filter) return bad('noTarget', 'A member cannot be changed, only added and removed.');
  const ids = idsOf(canonical(membersAttribute, value));
  return op === 'replace' ? replaceMembers(tx, id, ids) : { added: (await addMembers(tx, id, ids)).length, removed: 0 };
}

async function replaceMembers(tx: Tx, id: number, ids: readonly number[]) {
  const removed = await removeMembers(tx, id, sql`not m.user_id = any(${ids}::bigint[])`);
  const added = await addMembers(tx, id, ids);
  return { added: added.length, removed: removed.length };
}

async function addMembers(tx: Tx, id: number, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const strangers = await queries.findStrangers(tx, ids);
  if (strangers.length > 0) bad('invalidValue', `There is no user ${strangers.join(', ')}.`);
  const added = await insertTeamMembers(tx, id, ids);
  await enrolByTeam(tx, id, added);
  return added;
}

async function removeMembers(tx: Tx, id: number, condition: Sql) {
  const removed = (await queries.deleteMembersWhere(tx, id, condition)).map(({ user_id }) => user_id);
  await unenrolByTeam(tx, id, removed);
  return removed;
}

function idsOf(members: unknown): number[] {
  const given = Array.isArray(members) ? (members as Document[]) : [];
  return [
    ...new Set(
      given.map(({ value }) =>
        /^[1-9]\d{0,15}$/.test(String(value))
          ? Number(value)
          : bad('invalidValue', `There is no user "${String(value).slice(0, 100)}".`),
      ),
    ),
  ];
}
const membersChange = (added: number, removed: number): Change[] =>
  added + removed === 0 ? [] : [{ attribute: 'members', from: { removed }, to: { added } }];

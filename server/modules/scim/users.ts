// What happens to people through SCIM: create, read, replace, PATCH, delete.
import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../kernel/data/db.ts';
import { hashPassword, verifyPassword } from '../../kernel/people/secrets.ts';
import { endSessions } from '../sessions/queries.ts';
import { enrolByTeam, enrolNewUser, unenrolByTeam } from '../spaces/enrolment.ts';
import { deleteTeamMembers, insertTeamMembers } from '../teams/members.ts';
import { ensureTeam, ensureTeamType, listTeamIdsOf, touchTeams } from '../teams/queries.ts';
import { deactivate, reactivate } from '../users/deactivation.ts';
import { getPasswordHash, updatePassword } from '../users/passwords.ts';
import { insertUser } from '../users/queries.ts';
import {
  type Change,
  idOf,
  isKnown,
  requireVersion,
  type ScimAnswer,
  type ScimCall,
  type ScimHandler,
} from './call.ts';
import { changesBetween } from './changes.ts';
import { type Document, limited, readDocument } from './document.ts';
import { bad, refuseNotFound, ScimError } from './errors.ts';
import { guardLeaving } from './guard.ts';
import { patched, readOperations } from './patch.ts';
import { documentOf, fieldsOf, isUsual, replacement, type UserFields, type UserRow } from './people.ts';
import { photoIn, queuePhoto } from './photos.ts';
import * as queries from './queries.ts';
import { renderUser } from './resources.ts';
import { userType } from './schemas.ts';

export const createUser: ScimHandler = async (call) => {
  const document = readDocument(userType, call.body);
  const fields = fieldsOf(document);
  const password = passwordOf(document);
  const password_hash = password === undefined ? undefined : await hashPassword(password);
  return call.tx.transaction(async (tx) => {
    const former = await formerAccount(tx, call, fields);
    if (former !== undefined) await withdraw(tx, former, false);
    const id = former ?? (await insert(tx, call, fields));
    const before = await rowOf(tx, id);
    // A new account is the blank that `insert` made; a former one keeps what the provider does not assert.
    const next =
      former === undefined
        ? document
        : replacement({ active: true, ...document }, documentOf(before, call.base.manager));
    const changes = await store(tx, call, before, next, former === undefined);
    if (password_hash) await updatePassword(tx, id, password_hash);
    if (former === undefined) await enrolNewUser(tx, id);
    return answerWith(call, await rowOf(tx, id), 201, changes);
  });
};

/** A deactivated person who is created again is the same person (setting `reactivates`). */
async function formerAccount(
  tx: Tx,
  { settings }: ScimCall,
  { email, external_id }: UserFields,
): Promise<number | undefined> {
  const matches = await queries.lockMatches(tx, email, external_id);
  const [found, ...others] = matches;
  if (!found) return undefined;
  if (!settings.reactivates || others.length > 0 || found.is_active)
    throw new ScimError(
      409,
      'uniqueness',
      `Another user has this ${matches.some(({ by_email }) => by_email) ? 'userName' : 'externalId'}.`,
      {},
      found.id,
    );
  return found.id;
}

async function insert(tx: Tx, { settings }: ScimCall, fields: UserFields): Promise<number> {
  const { attributes: _kept, manager, teams: _teams, emails: _emails, active: _active, ...columns } = fields;
  const { manager_id } = await managerOf(tx, 0, manager);
  const json = await insertUser(tx, {
    ...columns,
    manager_id,
    roles: settings.assigns_roles ? fields.roles : ['user'],
  });
  return (JSON.parse(json) as { id: number }).id;
}

export const getUser: ScimHandler = async (call) => {
  const row = (await queries.findUserRow(call.tx, idOf(call))) ?? refuseNotFound();
  const { text, version, location } = renderUser(call, row);
  const headers = { etag: version, 'content-location': location };
  const resource = { type: 'User', id: row.id } as const;
  return isKnown(call, version) ? { status: 304, headers, resource } : { status: 200, body: text, headers, resource };
};

export const replaceUser: ScimHandler = async (call) => {
  const document = readDocument(userType, call.body);
  return change(call, passwordOf(document), (before) => replacement(document, before));
};

export const patchUser: ScimHandler = async (call) => {
  const operations = readOperations(call.body);
  // The password is no attribute that is read; it is taken from what the operations make of an empty one.
  const password = passwordOf(
    patched(
      userType,
      {},
      operations.filter(
        ({ op, path }) => op !== 'remove' && (path === undefined || /^(urn:.*:)?password$/i.test(path)),
      ),
    ),
  );
  return change(call, password, (before) => {
    const next = withAddress(patched(userType, before, operations), before);
    return next.active === undefined ? bad('invalidValue', 'active cannot be removed: set it to false.') : next;
  });
};

/** userName is an address of the person: a rename that leaves its entry among the emails as it was renames that, too. */
function withAddress(next: Document, { userName, emails: former }: Document): Document {
  const emails = (next.emails as Document[] | undefined) ?? [];
  if (next.userName === userName) return next;
  const same = (entry: Document) =>
    entry.value === userName && (former as Document[]).some((each) => isDeepStrictEqual(each, entry));
  return { ...next, emails: emails.map((entry) => (same(entry) ? { ...entry, value: next.userName } : entry)) };
}

export const deleteUser: ScimHandler = (call) =>
  call.tx.transaction(async (tx) => {
    const before = await lockedRow(tx, call);
    if (before.is_active) await leave(tx, call, before.id);
    await withdraw(tx, before.id, true);
    const changes = before.is_active ? [{ attribute: 'active', from: true, to: false }] : [];
    return { status: 204, resource: { type: 'User', id: before.id } as const, changes };
  });

/** Groups do not show whom the provider deleted. */
async function withdraw(tx: Tx, id: number, is_withdrawn: boolean) {
  const moved = await queries.setWithdrawn(tx, id, is_withdrawn);
  if (moved.length > 0) await touchTeams(tx, await listTeamIdsOf(tx, id));
}

async function change(
  call: ScimCall,
  password: string | undefined,
  edit: (before: Document) => Document,
): Promise<ScimAnswer> {
  const password_hash = await newHashOf(call, password);
  return call.tx.transaction(async (tx) => {
    const before = await lockedRow(tx, call);
    const changes = await store(tx, call, before, edit(documentOf(before, call.base.manager)), false);
    if (password_hash) {
      await updatePassword(tx, before.id, password_hash);
      await endSessions(tx, [before.id]);
      changes.push({ attribute: 'password' });
    }
    return answerWith(call, changes.length > 0 ? await rowOf(tx, before.id) : before, 200, changes);
  });
}

/** Nothing for the password that the person has: providers repeat it, and another one ends every session. */
async function newHashOf(call: ScimCall, password: string | undefined): Promise<string | undefined> {
  if (password === undefined) return undefined;
  const known = (await getPasswordHash(call.tx, idOf(call))) ?? undefined;
  return known !== undefined && (await verifyPassword(password, known)) ? undefined : hashPassword(password);
}

async function lockedRow(tx: Tx, call: ScimCall): Promise<UserRow> {
  const id = idOf(call);
  await queries.lockPerson(tx, id);
  const row = (await queries.findUserRow(tx, id)) ?? refuseNotFound();
  requireVersion(call, renderUser({ ...call, query: {} }, row).version);
  return row;
}
const rowOf = async (tx: Tx, id: number): Promise<UserRow> => (await queries.findUserRow(tx, id)) ?? refuseNotFound();

function answerWith(call: ScimCall, row: UserRow, status: number, changes: readonly Change[]): ScimAnswer {
  const { text, version, location } = renderUser(call, row);
  const headers = { etag: version, location, 'content-location': location };
  return { status, body: text, headers, resource: { type: 'User', id: row.id }, changes };
}

const PASSWORD_LENGTH_MAX = 1024;
function passwordOf({ password }: Document): string | undefined {
  if (typeof password !== 'string') return undefined;
  return password.length > PASSWORD_LENGTH_MAX
    ? bad('invalidValue', `password has more than ${PASSWORD_LENGTH_MAX} characters.`)
    : password;
}

// ---- Storing -----------------------------------------------------------------------------------------------------

/** Makes the person what the document says, writing only what differs. Returns what changed. */
async function store(tx: Tx, call: ScimCall, before: UserRow, sent: Document, isNew: boolean): Promise<Change[]> {
  const { id } = before;
  const former = documentOf(before, call.base.manager);
  const document = limited(withoutShownName(sent, former, before));
  const [was, given] = [{ ...fieldsOf(former), roles: before.roles.toSorted() }, fieldsOf(document)];
  const next = call.settings.assigns_roles ? given : { ...given, roles: was.roles };
  const manager = next.manager === was.manager ? before : await managerOf(tx, id, next.manager);
  const differs = (...names: (keyof UserFields)[]) => names.some((name) => !isDeepStrictEqual(was[name], next[name]));
  const profile = Object.keys(next).filter((name) => name !== 'active') as (keyof UserFields)[];
  if (differs(...profile) && !isNew) await queries.updateScimUser(tx, id, next, manager.manager_id);
  else if (manager.manager_id !== before.manager_id) await queries.updateScimUser(tx, id, next, manager.manager_id);
  if (differs('attributes') || manager.manager_reference !== before.manager_reference)
    await queries.upsertExtras(tx, id, next.attributes, manager.manager_reference);
  const photo = photoIn(document);
  if (photo !== undefined && photo !== (isNew ? undefined : photoIn(former))) await queuePhoto(tx, id, photo);
  if (differs('emails')) await queries.replaceEmails(tx, id, isUsual(next.emails) ? [] : next.emails);
  if (differs('teams')) await assignTeams(tx, id, was.teams, next.teams);
  if (isNew || differs('email', 'external_id')) await queries.adoptReports(tx, id);
  if (before.is_active && !next.active) await leave(tx, call, id);
  if (!before.is_active && next.active) await reactivate(tx, id);
  return changesBetween(isNew ? {} : former, document);
}

/** What is sent back as it was read is no change: without a displayName of their own, people are shown by their name. */
function withoutShownName(document: Document, former: Document, { name }: UserRow): Document {
  if (former.displayName !== undefined || document.displayName !== name) return document;
  const { displayName: _shown, ...rest } = document;
  return rest;
}

/** Ends the person's access, if the sync guard lets it through. */
async function leave(tx: Tx, call: ScimCall, id: number) {
  await guardLeaving(tx, call, id);
  await deactivate(tx, id, { via: 'scim', credential_id: call.secret.id, services: call.services });
}

/** A manager who does not exist yet is parked until they do. */
async function managerOf(tx: Tx, id: number, reference: string | undefined) {
  if (reference === undefined) return { manager_id: null, manager_reference: null };
  const manager_id = await queries.findManager(tx, reference);
  if (manager_id === id) bad('invalidValue', 'Nobody is their own manager.');
  return manager_id === undefined
    ? { manager_id: null, manager_reference: reference }
    : { manager_id, manager_reference: null };
}

async function assignTeams(tx: Tx, user_id: number, was: Record<string, string>, next: Record<string, string>) {
  for (const type of new Set([...Object.keys(was), ...Object.keys(next)])) {
    if (was[type] === next[type]) continue;
    const team_type_id = await ensureTeamType(tx, type);
    const current = await queries.findTeamOfType(tx, user_id, team_type_id);
    const team_id = next[type] === undefined ? undefined : await ensureTeam(tx, next[type], team_type_id);
    if (current && current.team_id !== team_id) {
      await deleteTeamMembers(tx, current.team_id, [user_id]);
      await unenrolByTeam(tx, current.team_id, [user_id]);
    }
    if (team_id !== undefined) {
      await insertTeamMembers(tx, team_id, [user_id]);
      await queries.upsertAssignment(tx, user_id, team_type_id, team_id);
      await enrolByTeam(tx, team_id, [user_id]);
    }
    await touchTeams(tx, [current?.team_id ?? 0, team_id ?? 0]);
  }
}

// What happens to people through SCIM: create, read, replace, PATCH, delete.
import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../kernel/data/db.ts';
import { hashPassword, verifyPassword } from '../../kernel/people/secrets.ts';
import { endPasscodes } from '../sessions/passcodes.ts';
import { endSessions } from '../sessions/queries.ts';
import { changeMembers } from '../teams/members.ts';
import { ensureTeam, ensureTeamType, listTeamIdsOf, touchTeams } from '../teams/queries.ts';
import { refuseLastAdmins } from '../users/admins.ts';
import { tellWritten } from '../users/arrival.ts';
import { deactivate, reactivate } from '../users/deactivation.ts';
import { weaknessOf } from '../users/password-rules.ts';
import { getPassword, updatePassword } from '../users/passwords.ts';
import { insertUser, lockUser, setWithdrawn } from '../users/queries.ts';
import { idIn, requireVersion, type ScimAnswer, type ScimCall, type ScimHandler } from './call.ts';
import { readDocument } from './canonical.ts';
import { changesBetween } from './changes.ts';
import { type Document, entriesIn, objectIn, only, without } from './document.ts';
import { refuse, refuseNotFound, ScimError } from './errors.ts';
import { refuseUnlessGuardAllows } from './guard.ts';
import { type Operation, patched, readOperations } from './patch.ts';
import { photoIn, queuePhoto } from './photos.ts';
import { readAnswer, renderUser, writeAnswer } from './resources.ts';
import { refuseUnlessMaySetPassword, rolesAfter, withRoles } from './roles.ts';
import { userType } from './schemas.ts';
import { documentOf, type UserRow } from './user-document.ts';
import { fieldsOf, isAddress, type UserFields } from './user-fields.ts';
import * as queries from './user-queries.ts';

const PERSON_LENGTH_MAX = 200_000;

export const createUser: ScimHandler = async (call) => {
  const document = readDocument(userType, call.body);
  const fields = fieldsOf(document);
  const password = passwordOf(document);
  const password_hash = password === undefined ? undefined : await hashOf(password, fields.profile.email);
  return call.tx.transaction(async (tx) => {
    const former = await formerAccount(tx, call, fields);
    if (former !== undefined) await withdraw(tx, former, false);
    const id = former ?? (await insert(tx, rolesAfter(call, ['user'], document), fields));
    const before = await rowOf(tx, id);
    if (password_hash) refuseUnlessMaySetPassword(call, before.roles);
    // A new account is the blank that `insert` made; a former one keeps what the provider does not assert.
    const kept =
      former === undefined ? {} : { ...keptBy(document, documentOf(before, call.base.manager)), active: true };
    const changes = await store(tx, call, before, { ...kept, ...document }, former === undefined);
    if (password_hash) await updatePassword(tx, id, password_hash);
    return writeAnswer(201, renderUser(call, await rowOf(tx, id)), changes);
  });
};

/** A deactivated person who is created again is the same person (setting `reactivates`). */
async function formerAccount(tx: Tx, { settings }: ScimCall, { profile }: UserFields): Promise<number | undefined> {
  const matches = await queries.lockMatches(tx, profile);
  const [found] = matches;
  if (!found || (settings.reactivates && matches.length === 1 && !found.is_active)) return found?.id;
  const byAddress = matches.some(({ by_email }) => by_email) ? 'e-mail address' : 'externalId';
  const taken = matches.some(({ by_name }) => by_name) ? 'userName' : byAddress;
  throw new ScimError(409, 'uniqueness', `Another user has this ${taken}.`, { user_id: found.id });
}

async function insert(tx: Tx, roles: readonly string[], { profile, manager }: UserFields): Promise<number> {
  const { manager_id } = await managerOf(tx, 0, manager);
  return (JSON.parse(await insertUser(tx, { ...profile, manager_id, roles })) as { id: number }).id;
}

export const getUser: ScimHandler = async (call) =>
  readAnswer(call, renderUser(call, await rowOf(call.tx, idIn(call.id))));

export const replaceUser: ScimHandler = async (call) => {
  const document = readDocument(userType, call.body);
  return change(call, passwordOf(document), (before) => ({ ...keptBy(document, before), ...document }));
};
/** RFC 7644 3.5.1: what is not asserted may keep its value: who the person is, and whether they have access. */
const keptBy = ({ userName }: Document, before: Document) =>
  only(before, ['externalId', 'name', 'active', 'roles', ...(isAddress(userName) ? [] : ['emails'])]);

export const patchUser: ScimHandler = async (call) => {
  const operations = readOperations(call.body);
  // The password is no attribute that is read; it is taken from what the operations make of an empty one.
  const isOfPassword = (path = 'password') => /^(urn:.*:)?password$/i.test(path);
  const ofPassword = operations.filter(({ op, path }) => op !== 'remove' && isOfPassword(path));
  return change(call, passwordOf(patched(userType, {}, ofPassword)), (before) => {
    const next = withName(withAddress(patched(userType, before, operations), before), before, operations);
    return next.active === undefined ? refuse('mutability', 'active cannot be removed: set it to false.') : next;
  });
};

/** Of a name of which only one is said, the parts follow from `formatted`, and it from the parts. */
function withName(next: Document, before: Document, operations: readonly Operation[]): Document {
  const said = objectIn(patched(userType, without(before, 'name'), operations).name);
  const saysParts = said.givenName !== undefined || said.familyName !== undefined;
  if (saysParts === (said.formatted !== undefined)) return next;
  return { ...next, name: without(objectIn(next.name), ...(saysParts ? ['formatted'] : ['givenName', 'familyName'])) };
}

/** A rename that leaves the entry of userName among the emails as it was renames that, too. */
function withAddress(next: Document, { userName, emails: former }: Document): Document {
  if (next.userName === userName) return next;
  const own = entriesIn(former).filter(({ value }) => value === userName);
  const isOwn = (entry: Document) => own.some((each) => isDeepStrictEqual(each, entry));
  const renamed = (entry: Document) => (isOwn(entry) ? { ...entry, value: next.userName } : entry);
  return { ...next, emails: entriesIn(next.emails).map(renamed) };
}

export const deleteUser: ScimHandler = (call) =>
  call.tx.transaction(async (tx) => {
    const { id, is_active } = await lockedRow(tx, call);
    if (is_active) await leave(tx, call, id);
    await withdraw(tx, id, true);
    const changes = is_active ? [{ attribute: 'active', from: true, to: false }] : [];
    return { status: 204, resource: { type: 'User', id }, changes };
  });

/** Groups do not show whom the provider deleted. */
async function withdraw(tx: Tx, id: number, is_withdrawn: boolean) {
  if (await setWithdrawn(tx, id, is_withdrawn)) await touchTeams(tx, await listTeamIdsOf(tx, id));
}

type Edit = (before: Document) => Document;
async function change(call: ScimCall, password: string | undefined, edit: Edit): Promise<ScimAnswer> {
  const password_hash = await newHashOf(call, password);
  return call.tx.transaction(async (tx) => {
    const before = await lockedRow(tx, call);
    if (password_hash) refuseUnlessMaySetPassword(call, before.roles);
    const changes = await store(tx, call, before, edit(documentOf(before, call.base.manager)), false);
    if (password_hash) {
      await updatePassword(tx, before.id, password_hash);
      await endSessions(tx, [before.id]);
      await endPasscodes(tx, [before.id]);
      changes.push({ attribute: 'password' });
    }
    return writeAnswer(200, renderUser(call, changes.length > 0 ? await rowOf(tx, before.id) : before), changes);
  });
}

/** Nothing for the password that the person has: providers repeat it, and another one ends every session. */
async function newHashOf({ tx, id }: ScimCall, password: string | undefined): Promise<string | undefined> {
  if (password === undefined) return undefined;
  const { email, password_hash: known } = await getPassword(tx, idIn(id));
  return known && (await verifyPassword(password, known)) ? undefined : hashOf(password, email);
}

async function hashOf(password: string, email: string): Promise<string> {
  const weakness = await weaknessOf(password, email);
  return weakness ? refuse('invalidValue', `password ${weakness}.`) : hashPassword(password);
}

async function lockedRow(tx: Tx, call: ScimCall): Promise<UserRow> {
  await lockUser(tx, idIn(call.id));
  const row = await rowOf(tx, idIn(call.id));
  requireVersion(call, renderUser({ ...call, query: {} }, row).version);
  return row;
}
const rowOf = async (tx: Tx, id: number): Promise<UserRow> => (await queries.findUserRow(tx, id)) ?? refuseNotFound();

const passwordOf = ({ password }: Document) => (typeof password === 'string' ? password : undefined);

// ---- Storing -----------------------------------------------------------------------------------------------------

/** Makes the person what the document says, writing only what differs. Returns what changed. */
async function store(tx: Tx, call: ScimCall, before: UserRow, sent: Document, isNew: boolean) {
  const { id } = before;
  const former = documentOf(before, call.base.manager);
  // Without a displayName of their own people are shown by their name, which is no change when it is sent back.
  const isShownName = former.displayName === undefined && sent.displayName === before.name;
  const roles = rolesAfter(call, before.roles, sent);
  const document = withRoles(isShownName ? without(sent, 'displayName') : sent, roles);
  // PATCH can make a person larger than any one request is.
  if (JSON.stringify(document).length > PERSON_LENGTH_MAX) refuse('invalidValue', 'The user is too large.');
  const [was, next] = [fieldsOf(former), fieldsOf(document)];
  const hasOtherRoles = !isDeepStrictEqual(before.roles.toSorted(), roles);
  if (hasOtherRoles && !roles.includes('admin')) await refuseLastAdmins(tx, [id]);
  const manager = next.manager === was.manager ? before : await managerOf(tx, id, next.manager);
  const differs = (...names: (keyof UserFields)[]) => names.some((name) => !isDeepStrictEqual(was[name], next[name]));
  const isChanged = !isNew && (hasOtherRoles || differs('profile', 'manager', 'emails', 'teams', 'attributes'));
  if (isChanged || manager.manager_id !== before.manager_id)
    await queries.updateUser(tx, id, { ...next.profile, roles, manager_id: manager.manager_id });
  if (differs('attributes') || manager.manager_reference !== before.manager_reference)
    await queries.upsertScimUser(tx, id, next.attributes, manager.manager_reference);
  const photo = photoIn(document);
  if (photo !== undefined && (isNew || photo !== photoIn(former))) await queuePhoto(tx, id, photo);
  if (differs('emails')) await queries.replaceEmails(tx, id, next.emails);
  if (differs('teams')) await assignTeams(tx, id, was.teams, next.teams);
  if (before.is_active && !next.active) await leave(tx, call, id);
  if (!before.is_active && next.active) await reactivate(tx, id);
  const isRenamed = was.profile.email !== next.profile.email || was.profile.external_id !== next.profile.external_id;
  if (isNew || isRenamed) await tellWritten(tx, id, isNew);
  return changesBetween(isNew ? {} : former, document);
}

/** Ends the person's access, if the sync guard lets it through. The last admin stays whatever the guard says. */
async function leave(tx: Tx, call: ScimCall, id: number) {
  await refuseLastAdmins(tx, [id]);
  await refuseUnlessGuardAllows(tx, call, id);
  await deactivate(tx, id, { via: 'scim', credential_id: call.secret.id, services: call.services });
}

/** A manager who does not exist yet is parked until they do. */
async function managerOf(tx: Tx, id: number, reference: string | undefined) {
  const manager_id = reference === undefined ? null : await queries.findManager(tx, reference);
  if (manager_id === id) refuse('invalidValue', 'Nobody is their own manager.');
  if (manager_id === undefined) return { manager_id: null, manager_reference: reference ?? null };
  return { manager_id, manager_reference: null };
}

async function assignTeams(tx: Tx, user_id: number, was: UserFields['teams'], next: UserFields['teams']) {
  for (const type of new Set([...was.keys(), ...next.keys()])) {
    const name = next.get(type);
    if (was.get(type) === name) continue;
    const team_type_id = await ensureTeamType(tx, type);
    const former = await queries.findTeamOfType(tx, user_id, team_type_id);
    const team_id = name === undefined ? undefined : await ensureTeam(tx, name, team_type_id);
    if (former !== undefined && former !== team_id) await changeMembers(tx, former, [], [user_id]);
    if (team_id !== undefined) {
      await changeMembers(tx, team_id, [user_id], []);
      await queries.upsertAssignment(tx, user_id, team_type_id, team_id);
    }
    await touchTeams(tx, [former ?? 0, team_id ?? 0]);
  }
}

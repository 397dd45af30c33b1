import type { Key, Role } from '../../kernel/contract/contract.ts';
import {
  type FieldError,
  refuse,
  refuseFields,
  refuseForbidden,
  refuseInvalid,
  refuseNotFound,
} from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { scopesOf } from '../../kernel/people/scopes.ts';
import { findUserId, resolveUsers } from './queries.ts';

export const userIdFor = async (tx: Tx, key: Key): Promise<number> =>
  typeof key === 'number' ? key : ((await findUserId(tx, String(key.external_id))) ?? refuseNotFound());

/** Fields of a request that name people: the field's name, the list it holds, and whether those are external ids. */
export interface PeopleField {
  field: string;
  values: readonly (number | string)[];
  external: boolean;
  /** The field holds one value and no list. */
  single?: boolean;
}

/** The people each field names, as ids. One statement for all fields; every unknown one is an error with its path. */
export async function peopleOf(tx: Tx, fields: readonly PeopleField[]): Promise<Map<string, number[]>> {
  const places = (external: boolean) =>
    fields
      .filter((field) => field.external === external)
      .flatMap(({ field, values, single }) => values.map((value, i) => ({ field, value, i, single })));
  const [byId, byExternalId] = [places(false), places(true)];
  const people = new Map<string, number[]>(fields.map(({ field }) => [field, []]));
  if (byId.length + byExternalId.length === 0) return people;
  const errors: FieldError[] = [];
  for (const { by, n, id } of await resolveUsers(
    tx,
    byId.map(({ value }) => Number(value)),
    byExternalId.map(({ value }) => String(value)),
  )) {
    const place = (by === 'id' ? byId : byExternalId)[n];
    if (!place) continue;
    const path = place.single ? place.field : `${place.field}[${place.i}]`;
    if (id === null) errors.push({ path, message: `names no user: ${place.value}` });
    else people.get(place.field)?.push(id);
  }
  if (errors.length > 0) refuseFields(errors);
  return people;
}

export interface NamedPerson {
  user_id?: number;
  user_external_id?: string;
  /** The same, as some clients call it. */
  external_user_id?: string;
}

/** Who wrote it: the person that the body names (user_id or user_external_id), or the caller. */
export async function authorOf(tx: Tx, actor: Actor, body: NamedPerson): Promise<number> {
  const author = (await namedPerson(tx, body)) ?? actor.user_id;
  if (author !== actor.user_id && !isUnbounded(actor))
    refuseForbidden('Only an admin can write in the name of somebody else.');
  return author;
}

/** The person whom a body names; undefined when it names nobody. */
export async function namedPerson(tx: Tx, body: NamedPerson): Promise<number | undefined> {
  const names = ['user_id', 'user_external_id', 'external_user_id'] as const;
  const people = await peopleOf(
    tx,
    names.map((field) => ({
      field,
      values: body[field] === undefined ? [] : [body[field]],
      external: field !== 'user_id',
      single: true,
    })),
  );
  return names.flatMap((field) => people.get(field) ?? [])[0];
}

/** When it was written, for imports, which apps and admins make: a moment that has been. */
export function importedAt(tx: Tx, actor: Actor, at: string | undefined, field = 'created_at') {
  if (at === undefined) return undefined;
  if (Date.parse(at) > Date.parse(tx.now())) refuseInvalid(field, 'must not be in the future');
  if (!isUnbounded(actor)) refuse('forbidden', 'Only an import says when it was written.', { path: field });
  return at;
}

/** The person as an actor, for what is shown or checked in their place. */
export const actingAs = ({ organisation_id }: Tx, user_id: number, roles: readonly Role[]): Actor => ({
  kind: 'session',
  organisation_id,
  user_id,
  scopes: scopesOf(roles),
  roles,
  credential_id: 0,
});

const membershipFields = ['ids_to_add', 'ids_to_remove', 'external_ids_to_add', 'external_ids_to_remove'] as const;
interface MembershipChange {
  ids_to_add?: number[];
  ids_to_remove?: number[];
  external_ids_to_add?: string[];
  external_ids_to_remove?: string[];
}
/** People whom a body adds and removes; nobody is both. It names something; `others` are further fields that count. */
export async function additionsAndRemovals(tx: Tx, body: MembershipChange, others: readonly string[] = []) {
  if (Object.values(body).every((value) => value === undefined))
    refuseFields([{ path: '', message: `needs at least one of ${[...membershipFields, ...others].join(', ')}` }]);
  const people = await peopleOf(
    tx,
    membershipFields.map((field) => ({ field, values: body[field] ?? [], external: field.startsWith('external_') })),
  );
  const named = (...of: (typeof membershipFields)[number][]) => [
    ...new Set(of.flatMap((field) => people.get(field) ?? [])),
  ];
  const add = named('ids_to_add', 'external_ids_to_add');
  const remove = named('ids_to_remove', 'external_ids_to_remove');
  const both = new Set(remove);
  const contradictions = add.filter((id) => both.has(id));
  if (contradictions.length > 0)
    refuseFields(
      contradictions.map((id) => ({ path: 'ids_to_add', message: `adds user ${id}, who is also to be removed` })),
    );
  return { add, remove };
}

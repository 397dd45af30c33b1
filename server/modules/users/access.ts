import type { Tx } from '../../kernel/db.ts';
import { type FieldError, notFound } from '../../kernel/errors.ts';
import { invalidRequest } from '../../kernel/validate.ts';
import { findUserId, resolveUsers } from './queries.ts';

export const userIdFor = async (tx: Tx, external_id: string): Promise<number> => (await findUserId(tx, external_id)) ?? notFound();

/** Fields of a request that name people: the field's name, the list it holds, and whether those are external ids. */
export interface PeopleField {
  field: string;
  values: readonly (number | string)[];
  external: boolean;
}

/** The people each field names, as ids. One statement for all fields; every unknown one is an error with its path. */
export async function peopleOf(tx: Tx, fields: readonly PeopleField[]): Promise<Map<string, number[]>> {
  const places = (external: boolean) =>
    fields.filter((field) => field.external === external).flatMap(({ field, values }) => values.map((value, i) => ({ field, value, i })));
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
    if (id === null) errors.push({ path: `${place.field}[${place.i}]`, message: `names no user: ${place.value}` });
    else people.get(place.field)?.push(id);
  }
  if (errors.length > 0) throw invalidRequest(errors);
  return people;
}

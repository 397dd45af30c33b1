// Resources as text, with meta, version and the attributes that the client asked for, and the answers that carry them.
import { createHash } from 'node:crypto';
import { attributePath, isUrn, schemaOf } from './attributes.ts';
import { type Change, isKnown, type ScimAnswer, type ScimCall } from './call.ts';
import { assigned, type Document, fieldOf, isObject, objectIn } from './document.ts';
import { refuse } from './errors.ts';
import type { GroupRow } from './group-queries.ts';
import { ENTERPRISE, GROUP, USER, userType } from './schemas.ts';
import { documentOf, type UserRow } from './user-document.ts';

export function renderUser(call: ScimCall, row: UserRow): Rendered {
  const document = documentOf(row, call.base.manager);
  const enterprise = objectIn(document[ENTERPRISE]);
  const manager = row.manager_id !== null && {
    ...objectIn(enterprise.manager),
    $ref: addressOf(call, 'User', row.manager_id),
    displayName: row.manager_name,
  };
  const resource = assigned({
    schemas: [USER, ENTERPRISE, ...Object.keys(document).filter((name) => isUrn(name) && name !== ENTERPRISE)],
    id: String(row.id),
    ...document,
    name: assigned({ formatted: row.name, ...objectIn(document.name) }),
    displayName: document.displayName ?? row.name,
    ...(manager && { [ENTERPRISE]: { ...enterprise, manager } }),
    groups: row.teams?.map(({ id, name }) => referenceTo(call, 'Group', id, name, 'direct')),
  });
  // The version follows the representation, whatever table changed it.
  const version = `W/"${createHash('sha1').update(JSON.stringify(resource)).digest('base64url').slice(0, 20)}"`;
  return rendered(call, 'User', row, resource, version);
}

export const groupVersion = ({ sequence }: Pick<GroupRow, 'sequence'>) => `W/"${sequence}"`;

export function renderGroup(call: ScimCall, row: GroupRow): Rendered {
  const resource = assigned({
    schemas: [GROUP],
    id: String(row.id),
    externalId: row.external_id,
    displayName: row.name,
    members: row.members?.map(({ id, name }) => referenceTo(call, 'User', id, name, 'User')),
  });
  return rendered(call, 'Group', row, resource, groupVersion(row));
}

const addressOf = ({ root }: ScimCall, type: 'User' | 'Group', id: number) => `${root}/${type}s/${id}`;
const referenceTo = (call: ScimCall, of: 'User' | 'Group', id: number, display: string, type: string) => {
  return { value: String(id), $ref: addressOf(call, of, id), display, type };
};

type Rendered = ReturnType<typeof rendered>;
function rendered(
  call: ScimCall,
  type: 'User' | 'Group',
  row: UserRow | GroupRow,
  resource: Document,
  version: string,
) {
  const location = addressOf(call, type, row.id);
  const meta = { resourceType: type, created: row.created_at, lastModified: row.updated_at, location, version };
  return { type, id: row.id, text: JSON.stringify(projected(call, { ...resource, meta })), version, location };
}

/** RFC 7644 3.14: 304 for who has this version already. */
export function readAnswer(call: ScimCall, { type, id, text, version, location }: Rendered): ScimAnswer {
  const answer = { headers: { etag: version, 'content-location': location }, resource: { type, id } };
  return isKnown(call, version) ? { status: 304, ...answer } : { status: 200, body: text, ...answer };
}
export function writeAnswer(status: number, { type, id, text, version, location }: Rendered, changes: Change[]) {
  const headers = { etag: version, location, 'content-location': location };
  return { status, body: text, headers, resource: { type, id }, changes };
}

export const listResponse = (total: number, startIndex: number, resources: readonly string[]): string =>
  `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":${total},` +
  `"startIndex":${startIndex},"itemsPerPage":${resources.length},"Resources":[${resources.join(',')}]}`;

// ---- attributes and excludedAttributes ---------------------------------------------------------------------------

/** RFC 7644 3.9: these are shown whatever is asked for. */
const ALWAYS = ['id', 'schemas'];

/** Names in lower case, as a resource has them: without the core schema's URN, and with that of an extension. */
function namesIn({ query }: ScimCall, parameter: string): string[] {
  const value = fieldOf(query, parameter);
  const names = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : [];
  return names.map((name) => inResource(name.trim().toLowerCase())).filter((name) => name !== '');
}
function inResource(name: string): string {
  for (const urn of [USER, GROUP]) if (name.startsWith(`${urn.toLowerCase()}:`)) return name.slice(urn.length + 1);
  const schema = isUrn(name) || name.includes('.') ? undefined : schemaOf(userType, attributePath(name));
  return schema && schema !== userType.core ? `${schema.id.toLowerCase()}:${name}` : name;
}

export function showsMembers(call: ScimCall): boolean {
  const wanted = namesIn(call, 'attributes');
  return wanted.length > 0
    ? wanted.some((name) => name.includes('members'))
    : !namesIn(call, 'excludedAttributes').includes('members');
}

function projected(call: ScimCall, resource: Document): Document {
  const wanted = namesIn(call, 'attributes');
  const unwanted = namesIn(call, 'excludedAttributes');
  if (wanted.length > 0 && unwanted.length > 0)
    refuse('invalidValue', 'Send attributes or excludedAttributes, not both.');
  if (wanted.length > 0) return assigned(partOf(resource, [...ALWAYS, ...wanted], true));
  const dropped = unwanted.filter((name) => !ALWAYS.includes(name));
  return dropped.length > 0 ? assigned(partOf(resource, dropped, false)) : resource;
}

/** What is named (`keeps`), or the rest. */
function partOf(object: Document, names: readonly string[], keeps: boolean): Document {
  const shown = Object.entries(object).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    const prefix = key + (isUrn(name) ? ':' : '.');
    const within = names.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
    if (names.includes(key)) return keeps ? [[name, value]] : [];
    if (within.length === 0) return keeps ? [] : [[name, value]];
    const part = (inner: unknown) => (isObject(inner) ? partOf(inner, within, keeps) : inner);
    return [[name, Array.isArray(value) ? value.map(part) : part(value)]];
  });
  return Object.fromEntries(shown);
}

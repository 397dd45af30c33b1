// Resources as text, with meta, version and only the attributes that the client asked for: RFC 7644 3.4.2.5 and 3.9.
import { createHash } from 'node:crypto';
import { parameter, type ScimCall } from './call.ts';
import { type Document, isEmpty, isObject, isUrn } from './document.ts';
import { bad } from './errors.ts';
import { documentOf, type UserRow } from './people.ts';
import type { GroupRow } from './queries.ts';
import { ATRIUM, ENTERPRISE, GROUP, LIST, USER } from './schemas.ts';

export interface Rendered {
  readonly text: string;
  readonly version: string;
  readonly location: string;
}

export function renderUser(call: ScimCall, row: UserRow): Rendered {
  const document = documentOf(row, call.base.manager);
  const location = `${call.root}/Users/${row.id}`;
  const resource: Document = {
    schemas: [USER, ENTERPRISE, ...Object.keys(document).filter((name) => isUrn(name) && name !== ENTERPRISE)],
    id: String(row.id),
    ...document,
    name: { ...(document.name as Document | undefined), ...(row.name ? { formatted: row.name } : {}) },
    displayName: document.displayName ?? row.name,
  };
  const enterprise = document[ENTERPRISE] as Document | undefined;
  if (row.manager_id !== null)
    resource[ENTERPRISE] = {
      ...enterprise,
      manager: {
        ...(enterprise?.manager as Document),
        $ref: `${call.root}/Users/${row.manager_id}`,
        displayName: row.manager_name,
      },
    };
  if (isEmpty(resource.name)) delete resource.name;
  if (row.teams)
    resource.groups = row.teams.map(({ id, name }) => ({
      value: String(id),
      $ref: `${call.root}/Groups/${id}`,
      display: name,
      type: 'direct',
    }));
  // The version follows the representation, whatever table changed it.
  const version = `W/"${createHash('sha1').update(JSON.stringify(resource)).digest('base64url').slice(0, 20)}"`;
  return finished(call, resource, {
    resourceType: 'User',
    created: row.created_at,
    lastModified: row.updated_at,
    location,
    version,
  });
}

export const groupVersion = ({ sequence }: Pick<GroupRow, 'sequence'>) => `W/"${sequence}"`;

export function renderGroup(call: ScimCall, row: GroupRow): Rendered {
  const resource: Document = { schemas: [GROUP], id: String(row.id) };
  if (row.external_id !== null) resource.externalId = row.external_id;
  resource.displayName = row.name;
  if (row.members)
    resource.members = row.members.map(({ value, display }) => ({
      value: String(value),
      $ref: `${call.root}/Users/${value}`,
      display,
      type: 'User',
    }));
  return finished(call, resource, {
    resourceType: 'Group',
    created: row.created_at,
    lastModified: row.updated_at,
    location: `${call.root}/Groups/${row.id}`,
    version: groupVersion(row),
  });
}

interface Meta {
  resourceType: string;
  created: string;
  lastModified: string;
  location: string;
  version: string;
}
function finished(call: ScimCall, resource: Document, meta: Meta): Rendered {
  resource.meta = meta;
  return { text: JSON.stringify(projected(call, resource)), version: meta.version, location: meta.location };
}

export const listResponse = (total: number, startIndex: number, resources: readonly string[]): string =>
  `{"schemas":["${LIST}"],"totalResults":${total},"startIndex":${startIndex},"itemsPerPage":${resources.length},"Resources":[${resources.join(',')}]}`;

// ---- attributes and excludedAttributes ---------------------------------------------------------------------------

const ALWAYS = new Set(['id', 'schemas']);
export const namesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : [])
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
/** `urn:…:core:2.0:User:userName` is `userName`. */
const short = (name: string) =>
  [USER, GROUP].reduce(
    (text, urn) => (text.startsWith(`${urn.toLowerCase()}:`) ? text.slice(urn.length + 1) : text),
    name,
  );

export function projected(call: ScimCall, resource: Document): Document {
  const wanted = namesIn(parameter(call.query, 'attributes')).map(short);
  const unwanted = namesIn(parameter(call.query, 'excludedAttributes')).map(short);
  if (wanted.length > 0 && unwanted.length > 0) bad('invalidValue', 'Send attributes or excludedAttributes, not both.');
  if (wanted.length > 0) return selected(resource, wanted, true);
  return unwanted.length > 0 ? selected(resource, unwanted, false) : resource;
}

function selected(resource: Document, names: readonly string[], keep: boolean): Document {
  const whole = new Set(names);
  const result: Document = {};
  for (const [name, value] of Object.entries(resource)) {
    const key = name.toLowerCase();
    const separator = isUrn(name) ? ':' : '.';
    const within = names
      .filter((each) => each.startsWith(`${key}${separator}`))
      .map((each) => each.slice(key.length + 1));
    const bare =
      [ENTERPRISE, ATRIUM].includes(name) && isObject(value)
        ? Object.keys(value)
            .map((sub) => sub.toLowerCase())
            .filter((sub) => whole.has(sub))
        : [];
    const parts = [...within, ...bare];
    if (ALWAYS.has(key) || whole.has(key) === keep) {
      if (ALWAYS.has(key) || keep || parts.length === 0) result[name] = value;
      else result[name] = partOf(value, parts, false);
    } else if (keep && parts.length > 0) result[name] = partOf(value, parts, true);
    if (result[name] !== undefined && isEmpty(result[name])) delete result[name];
  }
  return result;
}

function partOf(value: unknown, names: readonly string[], keep: boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => partOf(entry, names, keep));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const key = name.toLowerCase();
      const within = names.filter((each) => each.startsWith(`${key}.`)).map((each) => each.slice(key.length + 1));
      if (names.includes(key) === keep && (keep || within.length === 0)) return [[name, inner]];
      return within.length > 0 ? [[name, partOf(inner, within, keep)]] : [];
    }),
  );
}

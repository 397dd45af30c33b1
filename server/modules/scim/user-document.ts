// A person as SCIM shows them: which column, team or kept value is which attribute; user-fields.ts undoes it.
import type { Static } from '../../kernel/contract/schema.ts';
import { roles, type User } from '../users/contract.ts';
import { assigned, type Document, entriesIn, isEmpty, objectIn, only, without } from './document.ts';
import { customExtensions, extensionsOf } from './extensions.ts';
import { ATRIUM, ENTERPRISE } from './schemas.ts';

type Text = string | null;
/** The value is null for the address of users. */
export type EmailRow = { type: Text; value: Text; is_primary: boolean | null; display: Text };
type Unused = 'avatar_url' | 'has_logged_in' | 'permalink' | 'is_frontline' | 'has_access';
export interface UserRow extends Omit<Static<typeof User>, Unused> {
  /** null: it is the e-mail address. */
  user_name: Text;
  attributes: Document | null;
  manager_reference: Text;
  manager_email: Text;
  manager_name: Text;
  /** null: the one work address that users has. */
  emails: EmailRow[] | null;
  teams: { id: number; name: string; type: string; is_assigned: boolean }[] | null;
}

/** How a base path shows `manager.value`. */
export type ManagerForm = 'id' | 'email';
/** Types of the teams that attributes stand for. */
export const DEPARTMENT = 'Department';
export const LOCATION = 'Location';
export const COST_CENTRE = 'Cost centre';

/** Attributes that are kept as they came. */
const WORDS = 'nickName profileUrl userType preferredLanguage ims photos entitlements x509Certificates';
export const KEPT = WORDS.split(' ');

export const isRole = (name: string) => roles.some((role) => role === name);
export const rolesIn = (value: unknown): string[] =>
  [value]
    .flat()
    .flatMap((text) => (typeof text === 'string' ? text.split(',') : []))
    .map((role) => role.trim().toLowerCase())
    .filter(isRole);
/** Roles by authRoles of any extension. */
export const grantedBy = (document: Document): string[] =>
  extensionsOf(document).flatMap(([, { authRoles }]) => rolesIn(authRoles));

/** What is no IANA zone or no language tag is kept and echoed, but not used. */
export const timezoneOf = (zone: unknown) =>
  typeof zone === 'string' && zone.length <= 64
    ? accepted(() => new Intl.DateTimeFormat('en', { timeZone: zone }) && zone)
    : null;
export const localeOf = (tag: unknown) =>
  typeof tag === 'string' ? accepted(() => new Intl.Locale(tag.replaceAll('_', '-')).toString()) : null;
function accepted(build: () => string): string | null {
  try {
    return build();
  } catch {
    return null;
  }
}

export function documentOf(row: UserRow, form: ManagerForm): Document {
  const kept = row.attributes ?? {};
  const custom = customExtensions(kept);
  const enterprise = objectIn(kept[ENTERPRISE]);
  const dates = { hireDate: row.hire_date, dateOfBirth: row.date_of_birth };
  const shownElsewhere = [enterprise, ...custom.map(([, fields]) => fields)].flatMap(Object.keys);
  const phones = filled(entriesIn(kept.phoneNumbers), 'work', 'value', row.direct_dial);
  const addresses = filled(entriesIn(kept.addresses), 'work', 'locality', teamOf(row, LOCATION));
  return assigned({
    externalId: row.external_id,
    userName: row.user_name ?? row.email,
    name: assigned({ givenName: row.first_name, familyName: row.last_name, ...objectIn(kept.name) }),
    displayName: row.display_name,
    title: row.job_title,
    ...only(kept, KEPT),
    locale: asSent(kept.locale, row.locale, localeOf),
    timezone: asSent(kept.timezone, row.timezone, timezoneOf),
    active: row.is_active,
    emails: row.emails?.map(({ type, value, is_primary, display }) =>
      assigned({ type, value: value ?? row.email, primary: is_primary, display }),
    ) ?? [{ type: 'work', value: row.email, primary: true }],
    phoneNumbers: filled(phones, 'mobile', 'value', row.mobile_phone).filter(({ value }) => value !== undefined),
    addresses: addresses.filter((entry) => Object.keys(without(entry, 'type', 'primary')).length > 0),
    roles: shownRoles(row.roles, entriesIn(kept.roles), grantedBy(kept)),
    [ENTERPRISE]: assigned({
      ...enterprise,
      ...only(dates, Object.keys(enterprise)),
      department: teamOf(row, DEPARTMENT),
      costCenter: teamOf(row, COST_CENTRE),
      manager: managerOf(row, form),
    }),
    [ATRIUM]: assigned({ ...objectIn(kept[ATRIUM]), ...without(dates, ...shownElsewhere) }),
    ...Object.fromEntries(
      custom.map(([urn, fields]) => [urn, assigned({ ...fields, ...only(dates, Object.keys(fields)) })]),
    ),
  });
}

function managerOf({ manager_id, manager_email, manager_reference }: UserRow, form: ManagerForm) {
  if (manager_id === null) return manager_reference === null ? undefined : { value: manager_reference };
  return { value: form === 'email' ? manager_email : String(manager_id) };
}

/** The team by attribute, else the first that the person is in by hand. */
function teamOf({ teams }: UserRow, type: string): string | undefined {
  const own = teams?.filter((team) => team.type.toLowerCase() === type.toLowerCase());
  return (own?.find(({ is_assigned }) => is_assigned) ?? own?.[0])?.name;
}

/** What the provider wrote, while it still means what is stored. */
const asSent = (kept: unknown, stored: string | null, read: (value: string) => string | null) =>
  typeof kept === 'string' && read(kept) === stored ? kept : stored;

/** The entry of this type gets the stored value; where there is none, one is added. */
function filled(list: Document[], type: string, name: string, value: string | null | undefined): Document[] {
  if (isEmpty(value)) return list;
  const entry = list.find((each) => String(each.type).toLowerCase() === type && each[name] === undefined);
  if (!entry) return [...list, { type, [name]: value }];
  return list.map((each) => (each === entry ? { ...each, [name]: value } : each));
}

function shownRoles(held: readonly string[], kept: readonly Document[], granted: readonly string[]): Document[] {
  const roleOf = (entry: Document) => String(entry.value).toLowerCase();
  const shown = kept.filter((entry) => !isRole(roleOf(entry)) || held.includes(roleOf(entry)));
  const known = new Set(['user', ...granted, ...shown.map(roleOf)]);
  return [...shown, ...held.filter((role) => !known.has(role)).map((value) => ({ value }))];
}

// A person as SCIM shows them, and back: which attribute is which column, team or kept value.
// `documentOf` makes the document that PATCH works on; `fieldsOf` reads a document; each undoes the other.
import * as t from '../../kernel/contract/schema.ts';
import { compileCheck } from '../../kernel/contract/validate.ts';
import { type Document, isEmpty, isObject, isUrn } from './document.ts';
import { bad } from './errors.ts';
import { ATRIUM, ENTERPRISE } from './schemas.ts';

export type ManagerForm = 'id' | 'email';
export interface EmailRow {
  type: string | null;
  /** null: the address that userName is. */
  value: string | null;
  primary: boolean | null;
  display: string | null;
}
export interface UserRow {
  id: number;
  external_id: string | null;
  email: string;
  first_name: string;
  last_name: string;
  name: string;
  display_name: string | null;
  job_title: string;
  timezone: string | null;
  locale: string | null;
  hire_date: string | null;
  date_of_birth: string | null;
  mobile_phone: string | null;
  direct_dial: string | null;
  is_active: boolean;
  roles: string[];
  created_at: string;
  updated_at: string;
  attributes: Document | null;
  manager_reference: string | null;
  manager_id: number | null;
  manager_email: string | null;
  manager_name: string | null;
  emails: EmailRow[] | null;
  teams: { id: number; name: string; type: string; is_assigned: boolean }[] | null;
}

/** What is stored of a document. */
export interface UserFields {
  email: string;
  external_id: string | null;
  first_name: string;
  last_name: string;
  display_name: string | null;
  job_title: string;
  timezone: string | null;
  locale: string | null;
  hire_date: string | null;
  date_of_birth: string | null;
  mobile_phone: string | null;
  direct_dial: string | null;
  roles: string[];
  active: boolean;
  /** As the provider names the manager. */
  manager: string | undefined;
  emails: EmailRow[];
  /** Name of the team by team type. */
  teams: Record<string, string>;
  attributes: Document;
}

const ROLES = ['user', 'moderator', 'admin', 'developer', 'it_admin'];
const DEPARTMENT = 'Department';
const LOCATION = 'Location';
const COST_CENTRE = 'Cost centre';
const KEPT = [
  'nickName',
  'profileUrl',
  'userType',
  'preferredLanguage',
  'ims',
  'photos',
  'entitlements',
  'x509Certificates',
];
const KEPT_NAMES = ['middleName', 'honorificPrefix', 'honorificSuffix'];
const KEPT_ENTERPRISE = ['employeeNumber', 'organization', 'division'];

const check = compileCheck(
  t.Object({
    userName: t.Email(),
    externalId: t.Optional(t.ExternalId()),
    givenName: t.Optional(t.Text(255)),
    familyName: t.Optional(t.Text(255)),
    displayName: t.Optional(t.Text(255)),
    title: t.Optional(t.Text(255)),
    mobile: t.Optional(t.Text(64)),
    work: t.Optional(t.Text(64)),
    department: t.Optional(t.Text(255)),
    locality: t.Optional(t.Text(255)),
    costCenter: t.Optional(t.Text(255)),
    manager: t.Optional(t.Text(255)),
    hireDate: t.Optional(t.CalendarDate()),
    dateOfBirth: t.Optional(t.CalendarDate()),
  }),
);

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const object = (value: unknown): Document => (isObject(value) ? value : {});
const entries = (value: unknown): Document[] => (Array.isArray(value) ? (value as Document[]) : []);
const typed = (list: readonly Document[], type: string) =>
  list.find((entry) => String(entry.type).toLowerCase() === type);
const only = (source: Document, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])));
const without = (source: Document, name: string) => {
  const { [name]: _dropped, ...rest } = source;
  return rest;
};
/** Put into documents only when they are assigned. */
const assigned = (fields: Document) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
const customExtensions = (document: Document) =>
  Object.entries(document).filter(
    (entry): entry is [string, Document] =>
      isUrn(entry[0]) && entry[0] !== ENTERPRISE && entry[0] !== ATRIUM && isObject(entry[1]),
  );
const rolesIn = (value: unknown) =>
  (Array.isArray(value) ? value.map(String) : (text(value) ?? '').split(','))
    .map((role) => role.trim().toLowerCase())
    .filter((role) => ROLES.includes(role));

// ---- Out ---------------------------------------------------------------------------------------------------------

export function documentOf(row: UserRow, form: ManagerForm): Document {
  const kept = row.attributes ?? {};
  const team = (type: string) => {
    const own = row.teams?.filter((each) => each.type.toLowerCase() === type.toLowerCase());
    return (own?.find(({ is_assigned }) => is_assigned) ?? own?.[0])?.name;
  };
  const location = team(LOCATION);
  const manager =
    row.manager_id === null ? row.manager_reference : form === 'email' ? row.manager_email : String(row.manager_id);
  const custom = customExtensions(kept);
  const dates = { hireDate: row.hire_date, dateOfBirth: row.date_of_birth };
  const bare = Object.fromEntries(
    Object.entries(dates).filter(([name]) => !custom.some(([, fields]) => name in fields)),
  );
  const byExtension = custom.map(([urn, fields]) => [
    urn,
    assigned({
      ...fields,
      ...only(
        dates,
        Object.keys(fields).filter((name) => name in dates),
      ),
    }),
  ]);
  return assigned({
    externalId: row.external_id,
    userName: row.email,
    name: assigned({ givenName: row.first_name, familyName: row.last_name, ...object(kept.name) }),
    displayName: row.display_name,
    title: row.job_title,
    ...only(kept, KEPT),
    locale: keptForm(kept.locale, row.locale, localeOf),
    timezone: keptForm(kept.timezone, row.timezone, timezoneOf),
    active: row.is_active,
    emails: emailsOf(row),
    phoneNumbers: filled(
      filled(entries(kept.phoneNumbers), 'work', 'value', row.direct_dial),
      'mobile',
      'value',
      row.mobile_phone,
    ).filter(({ value }) => value !== undefined),
    addresses: filled(entries(kept.addresses), 'work', 'locality', location).filter((entry) =>
      Object.keys(entry).some((name) => name !== 'type' && name !== 'primary'),
    ),
    roles: shownRoles(row.roles, entries(kept.roles), grantedBy(kept)),
    [ENTERPRISE]: assigned({
      ...only(object(kept[ENTERPRISE]), KEPT_ENTERPRISE),
      department: team(DEPARTMENT),
      costCenter: team(COST_CENTRE),
      manager: manager === null ? undefined : { value: manager },
    }),
    [ATRIUM]: assigned({ ...object(kept[ATRIUM]), ...bare }),
    ...Object.fromEntries(byExtension),
  });
}

/** What the provider wrote, while it still means what is stored. */
const keptForm = (kept: unknown, stored: string | null, read: (value: string) => string | null) =>
  typeof kept === 'string' && read(kept) === stored ? kept : stored;

export const emailsOf = ({ emails, email }: Pick<UserRow, 'emails' | 'email'>): Document[] =>
  emails === null
    ? [{ type: 'work', value: email, primary: true }]
    : emails.map(({ type, value, primary, display }) => assigned({ type, value: value ?? email, primary, display }));

/** The entry of this type gets the stored value; where there is none, one is added. */
function filled(list: Document[], type: string, name: string, value: string | null | undefined): Document[] {
  const place = list.findIndex((entry) => String(entry.type).toLowerCase() === type && entry[name] === undefined);
  if (isEmpty(value)) return list;
  if (place < 0) return [...list, { type, [name]: value }];
  return list.map((entry, i) => (i === place ? { ...entry, [name]: value } : entry));
}

function shownRoles(held: readonly string[], kept: readonly Document[], granted: readonly string[]): Document[] {
  const roleOf = (entry: Document) => String(entry.value).toLowerCase();
  const shown = kept.filter((entry) => !ROLES.includes(roleOf(entry)) || held.includes(roleOf(entry)));
  const more = held.filter(
    (role) => role !== 'user' && !granted.includes(role) && !shown.some((entry) => roleOf(entry) === role),
  );
  return [...shown, ...more.map((value) => ({ value }))];
}
/** Roles by authRoles, of our extension or any other. */
const grantedBy = (document: Document) =>
  [object(document[ATRIUM]), ...customExtensions(document).map(([, fields]) => fields)].flatMap(({ authRoles }) =>
    rolesIn(authRoles),
  );

// ---- In ----------------------------------------------------------------------------------------------------------

export function fieldsOf(document: Document): UserFields {
  const enterprise = object(document[ENTERPRISE]);
  const custom = customExtensions(document);
  const understood = (name: string) =>
    custom.map(([, fields]) => fields[name]).find((value) => !isEmpty(value)) ?? object(document[ATRIUM])[name];
  const phones = entries(document.phoneNumbers);
  const addresses = entries(document.addresses);
  const { givenName, familyName } = namesOf(document);
  const [work, mobile, address] = [typed(phones, 'work'), typed(phones, 'mobile'), typed(addresses, 'work')];
  if (document.userName === undefined) bad('invalidValue', 'userName is required.');
  const checked = check(
    assigned({
      userName: document.userName,
      externalId: document.externalId,
      displayName: document.displayName ?? document.nickName,
      title: document.title,
      mobile: mobile?.value,
      work: work?.value,
      department: enterprise.department,
      locality: address?.locality,
      costCenter: enterprise.costCenter,
      manager: object(enterprise.manager).value,
      hireDate: dayOf(understood('hireDate')),
      dateOfBirth: dayOf(understood('dateOfBirth')),
      givenName,
      familyName,
    }) as Document,
    { form: false, warnings: [] },
  ) as Record<string, string | undefined>;
  const email = checked.userName ?? '';
  return {
    email,
    external_id: checked.externalId ?? null,
    first_name: checked.givenName ?? '',
    last_name: checked.familyName ?? '',
    display_name: checked.displayName ?? null,
    job_title: checked.title ?? '',
    timezone: timezoneOf(document.timezone),
    locale: localeOf(document.locale),
    hire_date: checked.hireDate ?? null,
    date_of_birth: checked.dateOfBirth ?? null,
    mobile_phone: checked.mobile ?? null,
    direct_dial: checked.work ?? null,
    roles: [
      ...new Set(['user', ...entries(document.roles).flatMap(({ value }) => rolesIn(value)), ...grantedBy(document)]),
    ].sort(),
    active: document.active !== false,
    manager: checked.manager,
    emails: emailRows(entries(document.emails), email),
    teams: teamsOf(checked, custom),
    attributes: assigned({
      ...only(document, KEPT),
      ...Object.fromEntries(custom),
      name: only(object(document.name), KEPT_NAMES),
      locale: document.locale,
      timezone: document.timezone,
      phoneNumbers: phones.map((entry) => (entry === work || entry === mobile ? without(entry, 'value') : entry)),
      addresses: addresses.map((entry) => (entry === address ? without(entry, 'locality') : entry)),
      roles: entries(document.roles),
      [ENTERPRISE]: only(enterprise, KEPT_ENTERPRISE),
      [ATRIUM]: only(object(document[ATRIUM]), ['authRoles', 'authMode']),
    }),
  };
}

/** A person needs a name to be shown; the smallest create of some providers brings only displayName or userName. */
function namesOf(document: Document) {
  const { givenName, familyName } = object(document.name) as { givenName?: string; familyName?: string };
  if (givenName !== undefined || familyName !== undefined)
    return { givenName: givenName ?? '', familyName: familyName ?? '' };
  const shown = text(document.displayName) ?? text(document.userName)?.split('@')[0] ?? '';
  const [, given = shown, family = ''] = /^(.*)\s+(\S+)$/.exec(shown.trim()) ?? [];
  return { givenName: given, familyName: family };
}

const WORK_ALONE: EmailRow = { type: 'work', value: null, primary: true, display: null };
function emailRows(list: readonly Document[], userName: string): EmailRow[] {
  const rows = list
    .filter(({ value }) => value !== undefined)
    .map(({ type, value, primary, display }): EmailRow => {
      const address = String(value).trim();
      return {
        type: text(type) ?? null,
        value: address.toLowerCase() === userName.toLowerCase() ? null : address,
        primary: typeof primary === 'boolean' ? primary : null,
        display: text(display) ?? null,
      };
    });
  const [first] = rows;
  const usual =
    rows.length === 1 &&
    first?.value === null &&
    first.type === 'work' &&
    first.primary === true &&
    first.display === null;
  return usual || rows.length === 0 ? [WORK_ALONE] : rows;
}
/** A row stands in the table only where it says more than everybody's work address. */
export const isUsual = (rows: readonly EmailRow[]) => rows.length === 1 && rows[0] === WORK_ALONE;

/** `tax_<team type>` of any extension assigns a team of that type. */
function teamsOf(checked: Record<string, string | undefined>, custom: readonly (readonly [string, Document])[]) {
  const teams: Record<string, string> = Object.create(null);
  const { department, locality, costCenter } = checked;
  for (const [type, name] of [
    [DEPARTMENT, department] as const,
    [LOCATION, locality] as const,
    [COST_CENTRE, costCenter] as const,
  ])
    if (name !== undefined) teams[type] = name;
  for (const [urn, fields] of custom)
    for (const [key, value] of Object.entries(fields)) {
      const type = /^tax_(.{1,255})$/i.exec(key)?.[1];
      if (type === undefined) continue;
      if (typeof value !== 'string' || value.length > 255)
        bad('invalidValue', `${urn}:${key} must be text of at most 255 characters.`);
      teams[type] = value as string;
    }
  return teams;
}

const accepted = (build: () => string): string | null => {
  try {
    return build();
  } catch {
    return null;
  }
};
/** What is no IANA zone or no language tag is kept and echoed, but not used. */
const timezoneOf = (zone: unknown) =>
  typeof zone === 'string' && zone.length <= 64
    ? accepted(() => new Intl.DateTimeFormat('en', { timeZone: zone }) && zone)
    : null;
const localeOf = (tag: unknown) =>
  typeof tag === 'string' ? accepted(() => new Intl.Locale(tag.replaceAll('_', '-')).toString()) : null;
const dayOf = (value: unknown) =>
  typeof value === 'string' ? (/^\d{4}-\d\d-\d\d(?=T)/.exec(value)?.[0] ?? value) : undefined;

/** RFC 7644 3.5.1: what a replacement does not assert may keep its value: who the person is, and whether they have access. */
export const replacement = (document: Document, before: Document): Document => ({
  ...only(before, ['externalId', 'name', 'active', 'roles']),
  ...document,
});

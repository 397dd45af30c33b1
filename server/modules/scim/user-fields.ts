// What is stored of a person's document; undoes `documentOf` (user-document.ts).
import { isDeepStrictEqual } from 'node:util';
import * as t from '../../kernel/contract/schema.ts';
import { compileCheck } from '../../kernel/contract/validate.ts';
import { isSame } from './attributes.ts';
import { assigned, type Document, entriesIn, isEmpty, objectIn, only, without } from './document.ts';
import { refuse } from './errors.ts';
import { customExtensions, extensionsOf } from './extensions.ts';
import { ATRIUM, ENTERPRISE } from './schemas.ts';
import * as user from './user-document.ts';

const text = t.Optional(t.Text(255));
const phone = t.Optional(t.Text(64));
const date = t.Optional(t.CalendarDate());
const Checked = t.Object({
  userName: t.Text(255),
  externalId: t.Optional(t.ExternalId()),
  ...{ givenName: text, familyName: text, displayName: text, title: text },
  ...{ mobile: phone, work: phone },
  ...{ department: text, locality: text, costCenter: text, manager: text },
  ...{ hireDate: date, dateOfBirth: date },
});
const check = compileCheck(Checked);

export type UserFields = ReturnType<typeof fieldsOf>;
export function fieldsOf(document: Document) {
  const { userName } = document;
  if (typeof userName !== 'string' || userName.trim() === '') return refuse('invalidValue', 'userName is required.');
  const emails = entriesIn(document.emails);
  const email = isAddress(userName)
    ? userName
    : (addressIn(emails) ??
      refuse('invalidValue', 'userName must be an e-mail address where emails has none of type work.'));
  const enterprise = objectIn(document[ENTERPRISE]);
  const custom = customExtensions(document);
  const understood = (name: string) =>
    [...custom.map(([, fields]) => fields), enterprise, objectIn(document[ATRIUM])]
      .map((fields) => fields[name])
      .find((value) => !isEmpty(value));
  const [phones, addresses] = [entriesIn(document.phoneNumbers), entriesIn(document.addresses)];
  const [work, mobile, address] = [ofType(phones, 'work'), ofType(phones, 'mobile'), ofType(addresses, 'work')];
  const names = namesOf(document);
  const name = objectIn(document.name);
  const isUsualName = name.formatted === Object.values(names).join(' ');
  const checked = check(
    assigned({
      ...only(document, ['userName', 'externalId', 'title']),
      ...only(enterprise, ['department', 'costCenter']),
      ...names,
      displayName: document.displayName ?? document.nickName,
      mobile: mobile?.value,
      work: work?.value,
      locality: address?.locality,
      manager: objectIn(enterprise.manager).value,
      hireDate: dayOf(understood('hireDate')),
      dateOfBirth: dayOf(understood('dateOfBirth')),
    }),
    { form: false, warnings: [] },
  ) as t.Static<typeof Checked>;
  return {
    profile: {
      email,
      user_name: email === userName ? null : checked.userName,
      external_id: checked.externalId ?? null,
      first_name: checked.givenName ?? '',
      last_name: checked.familyName ?? '',
      display_name: checked.displayName ?? null,
      job_title: checked.title ?? '',
      timezone: user.timezoneOf(document.timezone),
      locale: user.localeOf(document.locale),
      hire_date: checked.hireDate ?? null,
      date_of_birth: checked.dateOfBirth ?? null,
      mobile_phone: checked.mobile ?? null,
      direct_dial: checked.work ?? null,
    },
    active: document.active !== false,
    /** As the provider names them. */
    manager: checked.manager,
    emails: emailRows(emails, email),
    teams: teamsOf(checked, extensionsOf(document)),
    attributes: assigned({
      ...only(document, user.KEPT),
      ...Object.fromEntries(custom),
      name: without(name, 'givenName', 'familyName', ...(isUsualName ? ['formatted'] : [])),
      locale: document.locale,
      timezone: document.timezone,
      phoneNumbers: phones.map((entry) => (entry === work || entry === mobile ? without(entry, 'value') : entry)),
      addresses: addresses.map((entry) => (entry === address ? without(entry, 'locality') : entry)),
      roles: entriesIn(document.roles),
      [ENTERPRISE]: without(enterprise, 'department', 'costCenter', 'manager'),
      [ATRIUM]: without(objectIn(document[ATRIUM]), 'hireDate', 'dateOfBirth'),
    }),
  };
}

const ofType = (entries: readonly Document[], type: string) =>
  entries.find((entry) => isSame(String(entry.type), type));

/** A person needs a name to be shown; the smallest create of some providers brings only displayName or userName. */
function namesOf({ name, displayName, userName }: Document): Document {
  const { formatted, ...parts } = objectIn(name);
  const given = only(parts, ['givenName', 'familyName']);
  if (!isEmpty(given)) return given;
  const shown = String(formatted ?? displayName ?? String(userName).split('@')[0]).trim();
  const [, givenName = shown, familyName] = /^(.*\S)\s+(\S+)$/.exec(shown) ?? [];
  return { givenName, familyName };
}

const checkAddress = compileCheck(t.Object({ address: t.Email() }));
export function isAddress(address: unknown): boolean {
  try {
    return checkAddress({ address }, { form: false, warnings: [] }) !== undefined;
  } catch {
    return false;
  }
}
/** That of work, else the preferred one, else any. */
const addressIn = (emails: readonly Document[]) =>
  [ofType(emails, 'work'), emails.find(({ primary }) => primary === true), ...emails]
    .map((entry) => entry?.value)
    .find((value): value is string => isAddress(value));

const USUAL: user.EmailRow = { type: 'work', value: null, is_primary: true, display: null };
/** None for the one work address that users has. */
function emailRows(emails: readonly Document[], email: string): user.EmailRow[] {
  const rows = emails
    .filter(({ value }) => value !== undefined)
    .map(({ type = null, value, primary = null, display = null }) => {
      const address = String(value).trim();
      return { type, value: isSame(address, email) ? null : address, is_primary: primary, display } as user.EmailRow;
    });
  return isDeepStrictEqual(rows, [USUAL]) ? [] : rows;
}

/** The name of the team by its type. `tax_<team type>` of any extension, with any prefix, assigns such a team. */
function teamsOf(
  { department, locality, costCenter }: Readonly<Record<string, string | undefined>>,
  extensions: readonly (readonly [string, Document])[],
): Map<string, string> {
  const own = assigned({ [user.DEPARTMENT]: department, [user.LOCATION]: locality, [user.COST_CENTRE]: costCenter });
  const teams = new Map(Object.entries(own as Record<string, string>));
  for (const [urn, fields] of extensions)
    for (const [key, value] of Object.entries(fields)) {
      const type = /^[^:]*?tax_(.{1,255})$/i.exec(key)?.[1];
      if (type === undefined) continue;
      if (typeof value !== 'string' || value.length > 255)
        return refuse('invalidValue', `${urn}:${key} must be text of at most 255 characters.`);
      teams.set(type, value);
    }
  return teams;
}

/** Of a timestamp its day. */
const dayOf = (value: unknown) =>
  typeof value === 'string' ? (/^\d{4}-\d\d-\d\d(?=T)/.exec(value)?.[0] ?? value) : undefined;

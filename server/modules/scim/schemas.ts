// RFC 7643: the attributes that are implemented, as /Schemas shows them and as everything else here looks them up.
import type { Attribute, ResourceType, Schema } from './attributes.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:';
const EXTENSION = 'urn:ietf:params:scim:schemas:extension:';
export const USER = `${CORE}User`;
export const GROUP = `${CORE}Group`;
export const ENTERPRISE = `${EXTENSION}enterprise:2.0:User`;
export const ATRIUM = `${EXTENSION}atrium:2.0:User`;

type More = Partial<Attribute>;
const usual = {
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const;
const attribute = (name: string, description: string, more: More = {}): Attribute => {
  return { name, type: 'string', multiValued: false, description, ...usual, ...more };
};
const readOnly = { mutability: 'readOnly' } as const;
const immutable = { mutability: 'immutable' } as const;
const multiValued = { multiValued: true } as const;
const complex = (name: string, description: string, more: More, subAttributes: readonly Attribute[]) =>
  attribute(name, description, { type: 'complex', subAttributes, ...more });
const flag = (name: string, description: string, more: More = {}) =>
  attribute(name, description, { type: 'boolean', ...more });
/** Address of another resource. */
const $ref = (resource: string, description: string, more: More = readOnly) =>
  attribute('$ref', description, { ...more, type: 'reference', referenceTypes: [resource], caseExact: true });
/** RFC 7643 2.4: what entries of a list of values have. `types` are words. */
const values = (name: string, description: string, types?: string, value?: More) =>
  complex(name, description, multiValued, [
    attribute('value', 'The value.', value),
    attribute('display', 'A name for people.'),
    attribute('type', 'What kind of value it is.', types ? { canonicalValues: types.split(' ') } : {}),
    flag('primary', 'The preferred one; at most one is.'),
  ]);

const schema = (id: string, name: string, description: string, attributes: readonly Attribute[]): Schema => {
  return { id, name, description, attributes };
};

const identifying = { required: true, uniqueness: 'server' } as const;
const external = { type: 'reference', referenceTypes: ['external'] } as const;
const id = { ...readOnly, caseExact: true } as const;

const user = schema(USER, 'User', 'A person of the organisation.', [
  attribute('userName', 'Any text where emails has an address of type work; else the e-mail address.', identifying),
  complex('name', 'The parts of the name.', {}, [
    attribute('formatted', 'The whole name; where it is all that is said it is divided.'),
    attribute('familyName', 'Family name.'),
    attribute('givenName', 'Given name.'),
    attribute('middleName', 'Middle name.'),
    attribute('honorificPrefix', 'Title before the name.'),
    attribute('honorificSuffix', 'Suffix after the name.'),
  ]),
  attribute('displayName', 'The name as it is shown.'),
  attribute('nickName', 'Shown where there is no displayName.'),
  attribute('profileUrl', 'A page about the person.', external),
  attribute('title', 'Job title.'),
  attribute('userType', 'Kind of employment.'),
  attribute('preferredLanguage', 'Preferred language.'),
  attribute('locale', 'BCP 47 language tag; decides the language of the product.'),
  attribute('timezone', 'IANA time zone.'),
  flag('active', 'False ends all access before the answer. True where a create omits it; cannot be removed.', {
    required: true,
  }),
  attribute('password', 'Password to sign in with.', { mutability: 'writeOnly', returned: 'never', caseExact: true }),
  values(
    'emails',
    'E-mail addresses. Where userName is none, the person signs in with that of type work.',
    'work home other',
  ),
  values('phoneNumbers', 'work is the direct dial, mobile the mobile phone.', 'work mobile home fax pager other'),
  values('ims', 'Instant messaging addresses.'),
  values('photos', 'The primary or first one is fetched and becomes the profile photo.', 'photo thumbnail', external),
  complex('addresses', 'The locality of the work address is the team of type Location.', multiValued, [
    attribute('formatted', 'The whole address.'),
    attribute('streetAddress', 'Street and number.'),
    attribute('locality', 'Town.'),
    attribute('region', 'State or region.'),
    attribute('postalCode', 'Postal code.'),
    attribute('country', 'ISO 3166-1 alpha-2 code.'),
    attribute('type', 'Kind of address.', { canonicalValues: ['work', 'home', 'other'] }),
    flag('primary', 'The preferred one.'),
  ]),
  complex('groups', 'Teams that the person is in.', { ...multiValued, ...readOnly }, [
    attribute('value', 'Id of the group.', id),
    $ref('Group', 'Its address.'),
    attribute('display', 'Its name.', readOnly),
    attribute('type', 'Always direct.', { ...readOnly, canonicalValues: ['direct'] }),
  ]),
  values('entitlements', 'Entitlements.'),
  values('roles', 'user, moderator, admin, developer and it_admin grant that role; others are kept.'),
  values('x509Certificates', 'Certificates.', undefined, { type: 'binary', caseExact: true }),
]);

const enterprise = schema(ENTERPRISE, 'EnterpriseUser', 'Where the person stands in the organisation.', [
  attribute('employeeNumber', 'Number in the personnel files.'),
  attribute('costCenter', 'A team of type Cost centre.'),
  attribute('organization', 'Name of the organisation.'),
  attribute('division', 'Name of the division.'),
  attribute('department', 'A team of type Department.'),
  complex('manager', 'The manager.', {}, [
    attribute('value', 'Id or e-mail address, as this base path shows it; both are taken, and an externalId.', {
      caseExact: true,
    }),
    $ref('User', 'Address of the manager.'),
    attribute('displayName', 'Name of the manager.', readOnly),
  ]),
]);

const beyond =
  'What Atrium knows of a person beyond RFC 7643. The names are understood in any extension and without one.';
const atrium = schema(ATRIUM, 'AtriumUser', beyond, [
  attribute('hireDate', 'Date, YYYY-MM-DD.'),
  attribute('dateOfBirth', 'Date, YYYY-MM-DD.'),
  attribute('authRoles', 'Roles that the person has, beside those of roles.', multiValued),
  attribute('authMode', 'How the person signs in: `password`, or a name that is kept.'),
  flag('allowOtpPasswordReset', 'Whether apps may issue one-time passcodes for the person.'),
]);

const group = schema(GROUP, 'Group', 'A team.', [
  attribute('displayName', 'Name of the team.', identifying),
  complex('members', 'Who is in the team.', multiValued, [
    attribute('value', 'Id of the user.', { ...immutable, caseExact: true }),
    $ref('User', 'Address of the user; names them where there is no value.', immutable),
    attribute('display', 'Name of the user.', readOnly),
    attribute('type', 'Always User.', { ...readOnly, canonicalValues: ['User'] }),
  ]),
]);

export const schemas: readonly Schema[] = [user, enterprise, atrium, group];

/** RFC 7643 3.1: what every resource has beside its schemas. */
const common = [
  attribute('id', 'Id of the resource.', id),
  attribute('externalId', 'The id that the identity provider gave it.', { caseExact: true }),
  complex('meta', 'About the resource.', readOnly, []),
];
const typeOf = (name: 'User' | 'Group', core: Schema, extensions: readonly Schema[]): ResourceType => {
  return { name, endpoint: `/${name}s`, core: { ...core, attributes: [...common, ...core.attributes] }, extensions };
};
export const userType = typeOf('User', user, [enterprise, atrium]);
export const groupType = typeOf('Group', group, []);
export const resourceTypes: readonly ResourceType[] = [userType, groupType];

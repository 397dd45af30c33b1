// RFC 7643: the attributes that are implemented, as /Schemas shows them and as everything else here looks them up.

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const ATRIUM = 'urn:ietf:params:scim:schemas:extension:atrium:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0:';
export const LIST = `${MESSAGES}ListResponse`;
export const ERROR = `${MESSAGES}Error`;
export const PATCH_OP = `${MESSAGES}PatchOp`;
export const BULK_RESPONSE = `${MESSAGES}BulkResponse`;

export type AttributeType = 'string' | 'boolean' | 'dateTime' | 'reference' | 'binary' | 'complex';
export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly' | 'writeOnly';
  readonly returned: 'always' | 'default' | 'never';
  readonly uniqueness: 'none' | 'server';
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}
export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

const attribute = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});
const readOnly = { mutability: 'readOnly' } as const;
const complex = (
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  more: Partial<Attribute> = {},
) => attribute(name, description, { type: 'complex', subAttributes, ...more });
/** RFC 7643 2.4: what entries of a list of values have. */
const values = (name: string, description: string, value: Partial<Attribute> = {}, types?: readonly string[]) =>
  complex(
    name,
    description,
    [
      attribute('value', 'The value.', value),
      attribute('display', 'A name for people.'),
      attribute('type', 'What kind of value it is.', types ? { canonicalValues: types } : {}),
      attribute('primary', 'The preferred one; at most one is.', { type: 'boolean' }),
    ],
    { multiValued: true },
  );

const user: Schema = {
  id: USER,
  name: 'User',
  description: 'A person of the organisation.',
  attributes: [
    attribute('userName', 'The e-mail address that the person signs in with.', {
      required: true,
      uniqueness: 'server',
    }),
    complex('name', 'The parts of the name.', [
      attribute('formatted', 'Given and family name.', readOnly),
      attribute('familyName', 'Family name.'),
      attribute('givenName', 'Given name.'),
      attribute('middleName', 'Middle name.'),
      attribute('honorificPrefix', 'Title before the name.'),
      attribute('honorificSuffix', 'Suffix after the name.'),
    ]),
    attribute('displayName', 'The name as it is shown.'),
    attribute('nickName', 'Shown where there is no displayName.'),
    attribute('profileUrl', 'A page about the person.', { type: 'reference', referenceTypes: ['external'] }),
    attribute('title', 'Job title.'),
    attribute('userType', 'Kind of employment.'),
    attribute('preferredLanguage', 'Preferred language.'),
    attribute('locale', 'BCP 47 language tag; decides the language of the product.'),
    attribute('timezone', 'IANA time zone.'),
    attribute('active', 'False ends all access before the answer.', { type: 'boolean' }),
    attribute('password', 'Password to sign in with.', { mutability: 'writeOnly', returned: 'never', caseExact: true }),
    values('emails', 'E-mail addresses; the first is userName unless said otherwise.', {}, ['work', 'home', 'other']),
    values('phoneNumbers', 'work is the direct dial, mobile the mobile phone.', {}, [
      'work',
      'mobile',
      'home',
      'fax',
      'pager',
      'other',
    ]),
    values('ims', 'Instant messaging addresses.'),
    values(
      'photos',
      'The primary or first one is fetched and becomes the profile photo.',
      { type: 'reference', referenceTypes: ['external'] },
      ['photo', 'thumbnail'],
    ),
    complex(
      'addresses',
      'The locality of the work address is the team of type Location.',
      [
        attribute('formatted', 'The whole address.'),
        attribute('streetAddress', 'Street and number.'),
        attribute('locality', 'Town.'),
        attribute('region', 'State or region.'),
        attribute('postalCode', 'Postal code.'),
        attribute('country', 'ISO 3166-1 alpha-2 code.'),
        attribute('type', 'Kind of address.', { canonicalValues: ['work', 'home', 'other'] }),
        attribute('primary', 'The preferred one.', { type: 'boolean' }),
      ],
      { multiValued: true },
    ),
    complex(
      'groups',
      'Teams that the person is in.',
      [
        attribute('value', 'Id of the group.', { ...readOnly, caseExact: true }),
        attribute('$ref', 'Its address.', {
          ...readOnly,
          type: 'reference',
          referenceTypes: ['Group'],
          caseExact: true,
        }),
        attribute('display', 'Its name.', readOnly),
        attribute('type', 'Always direct.', { ...readOnly, canonicalValues: ['direct'] }),
      ],
      { multiValued: true, ...readOnly },
    ),
    values('entitlements', 'Entitlements.'),
    values('roles', 'user, moderator, admin, developer and it_admin grant that role; others are kept.'),
    values('x509Certificates', 'Certificates.', { type: 'binary', caseExact: true }),
  ],
};

const enterprise: Schema = {
  id: ENTERPRISE,
  name: 'EnterpriseUser',
  description: 'Where the person stands in the organisation.',
  attributes: [
    attribute('employeeNumber', 'Number in the personnel files.'),
    attribute('costCenter', 'A team of type Cost centre.'),
    attribute('organization', 'Name of the organisation.'),
    attribute('division', 'Name of the division.'),
    attribute('department', 'A team of type Department.'),
    complex('manager', 'The manager.', [
      attribute('value', 'Id or e-mail address, as this base path shows it; both are taken, and an externalId.', {
        caseExact: true,
      }),
      attribute('$ref', 'Address of the manager.', {
        ...readOnly,
        type: 'reference',
        referenceTypes: ['User'],
        caseExact: true,
      }),
      attribute('displayName', 'Name of the manager.', readOnly),
    ]),
  ],
};

const atrium: Schema = {
  id: ATRIUM,
  name: 'AtriumUser',
  description:
    'What Atrium knows of a person beyond RFC 7643. The names are understood in any extension and without one.',
  attributes: [
    attribute('hireDate', 'Date, YYYY-MM-DD.'),
    attribute('dateOfBirth', 'Date, YYYY-MM-DD.'),
    attribute('authRoles', 'Roles, separated by commas.'),
    attribute('authMode', 'How the person signs in.'),
  ],
};

const group: Schema = {
  id: GROUP,
  name: 'Group',
  description: 'A team.',
  attributes: [
    attribute('displayName', 'Name of the team.', { required: true, uniqueness: 'server' }),
    complex(
      'members',
      'Who is in the team.',
      [
        attribute('value', 'Id of the user.', { caseExact: true }),
        attribute('$ref', 'Address of the user.', {
          ...readOnly,
          type: 'reference',
          referenceTypes: ['User'],
          caseExact: true,
        }),
        attribute('display', 'Name of the user.', readOnly),
        attribute('type', 'Always User.', { ...readOnly, canonicalValues: ['User'] }),
      ],
      { multiValued: true },
    ),
  ],
};

export const schemas: readonly Schema[] = [user, enterprise, atrium, group];

/** RFC 7643 3.1: what every resource has beside its schemas. */
const common = [
  attribute('id', 'Id of the resource.', { ...readOnly, caseExact: true, returned: 'always', uniqueness: 'server' }),
  attribute('externalId', 'The id that the identity provider gave it.', { caseExact: true, uniqueness: 'server' }),
  attribute('schemas', 'Schemas of the resource.', {
    type: 'reference',
    multiValued: true,
    returned: 'always',
    caseExact: true,
    referenceTypes: ['uri'],
  }),
  complex(
    'meta',
    'About the resource.',
    [
      attribute('resourceType', 'User or Group.', { ...readOnly, caseExact: true }),
      attribute('created', 'When it was made.', { ...readOnly, type: 'dateTime' }),
      attribute('lastModified', 'When it was last changed.', { ...readOnly, type: 'dateTime' }),
      attribute('location', 'Its address.', {
        ...readOnly,
        type: 'reference',
        referenceTypes: ['uri'],
        caseExact: true,
      }),
      attribute('version', 'Its ETag.', { ...readOnly, caseExact: true }),
    ],
    readOnly,
  ),
];

export interface ResourceType {
  readonly name: 'User' | 'Group';
  readonly endpoint: string;
  readonly core: Schema;
  readonly extensions: readonly Schema[];
}
export const userType: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  core: user,
  extensions: [enterprise, atrium],
};
export const groupType: ResourceType = { name: 'Group', endpoint: '/Groups', core: group, extensions: [] };
export const resourceTypes: readonly ResourceType[] = [userType, groupType];

const byName = new WeakMap<readonly Attribute[], Map<string, Attribute>>();
/** RFC 7643 2.1: names are case-insensitive. */
export function attributeOf(attributes: readonly Attribute[] | undefined, name: string): Attribute | undefined {
  if (!attributes) return undefined;
  let names = byName.get(attributes);
  if (!names) {
    names = new Map(attributes.map((each) => [each.name.toLowerCase(), each]));
    byName.set(attributes, names);
  }
  return names.get(name.toLowerCase());
}

const ofCore = new Map(resourceTypes.map(({ core }) => [core, [...common, ...core.attributes]]));
export const coreAttributes = ({ core }: ResourceType): readonly Attribute[] => ofCore.get(core) ?? [];

/** Names that providers send without the extension they belong to. */
const understoodBare = [...enterprise.attributes, ...atrium.attributes].filter(
  ({ name }) => !user.attributes.some((own) => own.name.toLowerCase() === name.toLowerCase()),
);
export const bareExtensionOf = (type: ResourceType, name: string): Schema | undefined =>
  attributeOf(understoodBare, name) && type.extensions.find(({ attributes }) => attributeOf(attributes, name));

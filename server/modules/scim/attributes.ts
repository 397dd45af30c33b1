// RFC 7643 2 and 7: what attributes, schemas and resource types are made of, and how a name finds its attribute.
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'reference' | 'binary' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly' | 'writeOnly' | 'immutable';
  readonly returned: 'default' | 'never';
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
export interface ResourceType {
  readonly name: 'User' | 'Group';
  readonly endpoint: string;
  /** With what every resource has beside its schemas. */
  readonly core: Schema;
  readonly extensions: readonly Schema[];
}

/** RFC 7644 3.10: `urn:…:User:name.familyName`. */
export interface AttributePath {
  /** URN of the schema; undefined for the resource's own attributes. */
  readonly schema: string | undefined;
  readonly names: readonly string[];
}
export const isUrn = (name: string) => /^urn:/i.test(name);
/** The URN ends at the last colon, and may have dots of its own. */
export function attributePath(text: string): AttributePath {
  const end = isUrn(text) ? text.lastIndexOf(':') : -1;
  return { schema: end < 0 ? undefined : text.slice(0, end), names: text.slice(end + 1).split('.') };
}

/** RFC 7643 2.1: names are case-insensitive. */
export const isSame = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

export const attributeOf = (attributes: readonly Attribute[] | undefined, name = ''): Attribute | undefined =>
  attributes?.find((each) => isSame(each.name, name));
export const schemaById = ({ core, extensions }: ResourceType, urn: string): Schema | undefined =>
  [core, ...extensions].find(({ id }) => isSame(id, urn));
/** Undefined where no schema describes the URN. Providers send attributes of extensions without the URN, too. */
export function schemaOf(type: ResourceType, { schema, names }: AttributePath): Schema | undefined {
  if (schema !== undefined && !isSame(schema, type.core.id)) return schemaById(type, schema);
  const has = ({ attributes }: Schema) => attributeOf(attributes, names[0]) !== undefined;
  return [type.core, ...type.extensions].find(has) ?? type.core;
}

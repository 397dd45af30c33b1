// What the document names once and refers to: schemas, parameters, bodies, replies, headers.
import type { TSchema } from 'typebox';

const kinds = ['schemas', 'parameters', 'headers', 'requestBodies', 'responses'] as const;
type Kind = (typeof kinds)[number];
export interface Reference {
  readonly $ref: string;
}
export type Components = ReturnType<typeof createComponents>;
type Named = { title?: string };
interface ObjectSchema {
  type?: string;
  required?: string[];
  properties?: Record<string, object>;
}

export const pascal = (name: string) =>
  name
    .split(/[^A-Za-z0-9]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

export function createComponents() {
  const all: Record<Kind, Record<string, object>> = {
    ...{ schemas: {}, parameters: {}, headers: {}, requestBodies: {}, responses: {} },
  };
  const known = new Map<string, string>();
  /** Under the first name that is free; what is there already is not repeated, whatever its name. */
  const put = (kind: Kind, names: readonly string[], component: object, whole = component): Reference => {
    const content = `${kind} ${JSON.stringify(whole)}`;
    const name = known.get(content) ?? names.find((each) => !Object.hasOwn(all[kind], each));
    if (name === undefined) throw new Error(`Two components of the API document want the name ${names.join(', ')}.`);
    if (!known.has(content)) all[kind][name] = component;
    known.set(content, name);
    return { $ref: `#/components/${kind}/${name}` };
  };
  const resources = new Map<string, ObjectSchema>();
  /** A schema without our own keywords; what has a title becomes a component. */
  const schema = (given: TSchema): object => {
    const { title, ...plain } = plainSchema(given, schema) as Named & ObjectSchema;
    if (title === undefined) return plain;
    const reference = put('schemas', [title], extending(plain, resources), plain);
    resources.set(title, plain);
    return reference;
  };
  return { all, put, schema };
}

type Keywords = Record<string, unknown>;
/** Walks by keyword: names under `properties` are fields, whatever they are called. */
export function plainSchema(schema: object, inner: (schema: TSchema) => object): Keywords {
  const nested: Record<string, (value: never) => unknown> = {
    properties: (fields: Record<string, TSchema>) =>
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, inner(field)])),
    items: inner,
    additionalProperties: (values: TSchema | boolean) => (typeof values === 'boolean' ? values : inner(values)),
    anyOf: (options: TSchema[]) => options.map(inner),
  };
  const scalar = nullableScalar(schema);
  if (scalar) return plainSchema(scalar, inner);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !keyword.startsWith('x-') && !isLimitOfJson(keyword, value))
      .map(([keyword, value]) => [keyword, nested[keyword]?.(value as never) ?? value]),
  );
}

/** Whoever reads JSON has no greater whole numbers: said of every id, it would be said three hundred times. */
const isLimitOfJson = (keyword: string, value: unknown) => keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER;

/** `anyOf: [text, null]` as `type: ['string', 'null']`. */
function nullableScalar({ anyOf, ...rest }: { anyOf?: Keywords[] }): Keywords | undefined {
  const [only, none, ...others] = anyOf ?? [];
  const isScalar = ['string', 'integer', 'boolean'].includes(String(only?.type)) && !only?.['x-file'];
  if (!only || !isScalar || none?.type !== 'null' || others.length > 0) return undefined;
  const values = only.enum ? { enum: [...(only.enum as unknown[]), null] } : {};
  return { ...only, ...rest, type: [only.type, 'null'], ...values };
}

const SHARED_FIELDS_MIN = 5;
/** With all fields of a resource that is there already: that one and the rest. */
function extending(given: ObjectSchema, known: ReadonlyMap<string, ObjectSchema>): object {
  const { type, properties = {}, required = [], ...more } = given;
  const has = ([name, field]: [string, object]) => JSON.stringify(properties[name]) === JSON.stringify(field);
  const [base] = [...known]
    .map(([name, { properties: own = {}, required: needed = [] }]) => ({ name, own, needed }))
    .filter(({ own, needed }) => Object.entries(own).every(has) && needed.every((name) => required.includes(name)))
    .sort((a, b) => Object.keys(b.own).length - Object.keys(a.own).length);
  if (type !== 'object' || !base || Object.keys(base.own).length < SHARED_FIELDS_MIN) return given;
  const rest = {
    type,
    required: required.filter((name) => !base.needed.includes(name)),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !Object.hasOwn(base.own, name))),
  };
  return { ...more, allOf: [{ $ref: `#/components/schemas/${base.name}` }, rest] };
}

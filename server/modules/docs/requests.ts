// What an operation takes: parameters and the body, in each of its formats.
import type { TSchema } from 'typebox';
import type { BodyFormat, Endpoint } from '../../kernel/contract/contract.ts';
import { paramsSchema, querySchema } from '../../kernel/http/routes.ts';
import { type Components, pascal } from './components.ts';

const mediaTypes: Record<Exclude<BodyFormat, 'none'>, string> = {
  json: 'application/json',
  multipart: 'multipart/form-data',
  urlencoded: 'application/x-www-form-urlencoded',
};
interface Field {
  type?: string;
  anyOf?: Field[];
  description?: string;
  properties?: Record<string, Field>;
  required?: string[];
  items?: Field;
  'x-file'?: boolean;
}

export const parametersOf = (operation: string, tag: string, endpoint: Endpoint, components: Components) =>
  (['path', 'query'] as const).flatMap((where) => {
    const { properties = {}, required = [] } = (where === 'path' ? paramsSchema : querySchema)(endpoint) as Field;
    const examples: Readonly<Record<string, unknown>> =
      (where === 'path' ? endpoint.example.params : endpoint.example.query) ?? {};
    return Object.entries(properties).map(([name, field]) => {
      const { description, ...schema } = components.schema(field as TSchema) as { description?: string };
      return components.put('parameters', [name, `${tag}_${name}`, `${operation}_${name}`].map(pascal), {
        name,
        in: where,
        ...(where === 'path' || required.includes(name) ? { required: true } : {}),
        ...(description ? { description } : {}),
        schema,
        ...(field.type === 'array' ? { style: 'form', explode: false } : {}),
        ...(name in examples ? { example: asValue(field, examples[name]) } : {}),
      });
    });
  });

/** As the schema has it: a query's examples are written as they stand in an address. */
function asValue({ type, items }: Field, value: unknown): unknown {
  if (type === 'boolean') return value === true || value === 1 || value === '1' || value === 'true';
  if (type === 'integer') return Number(value);
  if (type !== 'array' || Array.isArray(value)) return value;
  return String(value)
    .split(',')
    .map((entry) => asValue(items ?? {}, entry));
}

export function bodyOf(operation: string, endpoint: Endpoint, components: Components) {
  const { body, documented = 'json', example } = endpoint;
  if (!body) return undefined;
  const { title = `${pascal(operation)}Body`, ...untitled } = body as TSchema & { title?: string };
  const schema = components.put('schemas', [title], components.schema(untitled as TSchema));
  const fields = Object.entries((body as Field).properties ?? {});
  const hasFile = JSON.stringify(body).includes('"x-file":true');
  const formats = (['json', 'multipart', 'urlencoded'] as const).filter((format) => !hasFile || format === 'multipart');
  const ordered = formats.toSorted((a, b) => Number(b === documented) - Number(a === documented));
  const nested = fields.filter(([, field]) => isNested(field)).map(([name]) => [name, brackets]);
  const encoding = nested.length > 0 ? { encoding: Object.fromEntries(nested) } : {};
  const content = ordered.map((format, n) => [
    mediaTypes[format],
    { schema, ...(format === 'json' ? {} : encoding), ...(n === 0 ? { example: example.body ?? {} } : {}) },
  ]);
  return components.put('requestBodies', [`${pascal(operation)}Body`], {
    required: true,
    content: Object.fromEntries(content),
  });
}

/** `audience[type]=spaces&audience[spaces][]=1`. */
const brackets = { style: 'deepObject', explode: true };
const isNested = ({ type, anyOf = [], items, 'x-file': isFile }: Field): boolean =>
  !isFile &&
  (type === 'object' || (type === 'array' && items !== undefined && isNested(items)) || anyOf.some(isNested));

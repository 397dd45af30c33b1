// The one coercion layer: what a client wrote (JSON, a form, a query) becomes what the contract says, or a field error.
import type { TSchema } from 'typebox';
import type { FieldError } from './errors.ts';

export interface Coercion {
  /** Forms know only text: there "" can stand for null and one value for a list of one. */
  readonly form: boolean;
  readonly errors: FieldError[];
  /** Names of fields that the contract does not have. */
  readonly unknown: string[];
}

type Coerce = (value: unknown, path: string, run: Coercion) => unknown;
interface Node {
  type?: string;
  format?: string;
  anyOf?: Node[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  additionalProperties?: Node;
  enum?: readonly unknown[];
  default?: unknown;
  'x-file'?: boolean;
  'x-separated'?: boolean;
}

const UNKNOWN_NAMED_MAX = 20;
const wrong = (run: Coercion, path: string, message: string) => {
  run.errors.push({ path, message });
  return undefined;
};
/** PostgreSQL keeps neither null bytes nor lone surrogates; dropping them silently would lose data. */
const storable = (text: string) => !text.includes('\0') && text.isWellFormed();

const scalars: Record<string, Coerce> = {
  string(value, path, run) {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string') return wrong(run, path, 'must be text');
    return storable(text) ? text : wrong(run, path, 'must not contain null bytes or broken characters');
  },
  integer(value, path, run) {
    const number =
      typeof value === 'string' && /^-?\d{1,19}$/.test(value.trim())
        ? Number(value)
        : typeof value === 'boolean'
          ? Number(value)
          : value;
    return Number.isSafeInteger(number) ? number : wrong(run, path, 'must be an integer');
  },
  number(value, path, run) {
    const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : wrong(run, path, 'must be a number');
  },
  boolean(value, path, run) {
    if (value === true || value === 1 || value === '1' || value === 'true') return true;
    if (value === false || value === 0 || value === '0' || value === 'false') return false;
    return wrong(run, path, 'must be true, false, 1 or 0');
  },
};

export function compileCoercion(schema: TSchema): Coerce {
  return compile(schema as Node);
}

function compile(schema: Node): Coerce {
  if (schema['x-file'])
    return (value, path, run) =>
      typeof value === 'object' && value !== null && 'bytes' in value
        ? value
        : wrong(run, path, 'must be an uploaded file (multipart/form-data)');
  if (schema.anyOf) return compileUnion(schema.anyOf);
  if (schema.type === 'object')
    return schema.additionalProperties ? compileMap(schema.additionalProperties) : compileObject(schema);
  if (schema.type === 'array') return compileArray(schema);
  const scalar = scalars[schema.type ?? ''] ?? ((value: unknown) => value);
  return schema.format === 'language' ? (value, path, run) => inOneForm(scalar(value, path, run)) : scalar;
}

/** RFC 5646 2.1.1: tags differ in letter case alone for people only. */
function inOneForm(tag: unknown) {
  try {
    return typeof tag === 'string' ? (Intl.getCanonicalLocales(tag)[0] ?? tag) : tag;
  } catch {
    // Validation says what is wrong with it.
    return tag;
  }
}

function compileUnion(options: Node[]): Coerce {
  const nullable = options.some((option) => option.type === 'null');
  const rest = options.filter((option) => option.type !== 'null');
  const [only] = rest;
  if (!nullable || rest.length !== 1 || !only) throw new Error('A contract may only join a schema with null.');
  const inner = compile(only);
  return (value, path, run) => {
    if (value === null || (run.form && value === '' && !isText(only))) return null;
    return inner(value, path, run);
  };
}
const isText = (schema: Node) => schema.type === 'string' && !('format' in schema) && !schema.enum;

function compileObject(schema: Node): Coerce {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    coerce: compile(field),
    default: field.default,
  }));
  const known = new Set(fields.map((field) => field.name));
  const required = new Set(schema.required ?? []);
  return (value, path, run) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Buffer)
      return wrong(run, path, 'must be an object');
    const source = value as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const { name, coerce, default: otherwise } of fields) {
      const given = Object.hasOwn(source, name) ? source[name] : undefined;
      const fieldPath = path === '' ? name : `${path}.${name}`;
      if (given !== undefined) result[name] = coerce(given, fieldPath, run);
      else if (otherwise !== undefined) result[name] = otherwise;
      else if (required.has(name)) wrong(run, fieldPath, 'is required');
    }
    for (const name of Object.keys(source)) {
      if (!known.has(name) && run.unknown.length < UNKNOWN_NAMED_MAX)
        run.unknown.push((path === '' ? name : `${path}.${name}`).slice(0, 100));
    }
    return result;
  };
}

/** Names that the client chooses, values of one kind. */
function compileMap(schema: Node): Coerce {
  const coerce = compile(schema);
  return (value, path, run) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Buffer)
      return wrong(run, path, 'must be an object');
    return Object.fromEntries(
      Object.entries(value).map(([name, given]) => {
        if (!storable(name)) wrong(run, path, 'must not have names with null bytes or broken characters');
        return [name, coerce(given, `${path}.${name}`, run)];
      }),
    );
  };
}

function compileArray(schema: Node): Coerce {
  const item = compile(schema.items ?? {});
  const separated = schema['x-separated'] === true;
  return (value, path, run) => {
    let list = value;
    if (separated && typeof list === 'string') list = list === '' ? [] : list.split(/[,|]/);
    else if (separated && typeof list === 'number') list = [list];
    else if (run.form && !Array.isArray(list) && (typeof list !== 'object' || list === null || 'bytes' in list))
      list = list === '' ? [] : [list];
    if (!Array.isArray(list)) return wrong(run, path, 'must be a list');
    return list.map((entry, i) => item(entry, `${path}[${i}]`, run));
  };
}

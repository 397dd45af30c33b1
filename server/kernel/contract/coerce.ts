// The one coercion layer: what a client wrote (JSON, a form, a query) becomes what the contract says, or a field error.
import type { FieldError } from './errors.ts';

export interface Coercion {
  /** Forms know only text: there "" can stand for null and one value for a list of one. */
  readonly form: boolean;
  /** A parameter that is there has a value. */
  readonly query?: boolean;
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
  pattern?: string;
  maxLength?: number;
  maxItems?: number;
  'x-file'?: boolean;
  'x-separated'?: boolean;
}

const UNKNOWN_NAMED_MAX = 20;
const ERRORS_MAX = 100;
const wrong = (run: Coercion, path: string, message: string) => {
  if (run.errors.length < ERRORS_MAX) run.errors.push({ path, message });
  return undefined;
};
/** PostgreSQL keeps neither null bytes nor lone surrogates; dropping them silently would lose data. */
const storable = (text: string) => !text.includes('\0') && text.isWellFormed();

const INTEGER = /^-?\d{1,19}$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const numberOf = (value: unknown, pattern: RegExp) =>
  typeof value === 'string' && pattern.test(value.trim()) ? Number(value) : value;
const TRUE: unknown[] = [true, 1, '1', 'true', 'True', 'TRUE'];
const FALSE: unknown[] = [false, 0, '0', 'false', 'False', 'FALSE'];

const scalars: Record<string, Coerce> = {
  string(value, path, run) {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string') return wrong(run, path, 'must be text');
    return storable(text) ? text : wrong(run, path, 'must not contain null bytes or broken characters');
  },
  integer(value, path, run) {
    const number = typeof value === 'boolean' ? Number(value) : numberOf(value, INTEGER);
    return Number.isSafeInteger(number) ? number : wrong(run, path, 'must be an integer');
  },
  number(value, path, run) {
    const number = numberOf(value, DECIMAL);
    return Number.isFinite(number) ? number : wrong(run, path, 'must be a number');
  },
  boolean: (value, path, run) =>
    TRUE.includes(value) || (FALSE.includes(value) ? false : wrong(run, path, 'must be true, false, 1 or 0')),
  file(value, path, run) {
    if (!isObject(value) || !('bytes' in value))
      return wrong(run, path, 'must be an uploaded file (multipart/form-data)');
    return value.byte_size === 0 ? wrong(run, path, 'must not be an empty file') : value;
  },
  /** RFC 5646 2.1.1: tags differ in letter case alone for people only. */
  language(value, path, run) {
    const tag = scalars.string?.(value, path, run);
    try {
      return typeof tag === 'string' ? (Intl.getCanonicalLocales(tag)[0] ?? tag) : tag;
    } catch {
      // Validation says what is wrong with it.
      return tag;
    }
  },
};
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

export function compileCoercion(schema: Node): Coerce {
  if (schema.anyOf) return compileNullable(schema.anyOf);
  if (schema.type === 'object') return compileObject(schema);
  if (schema.type === 'array') return compileArray(schema);
  const kind = schema['x-file'] ? 'file' : schema.format === 'language' ? 'language' : schema.type;
  return boundedText(schema, scalars[kind ?? ''] ?? ((value) => value));
}

/** Without a limit of its own, of text that patterns and formats are tried on. */
const CHECKED_MAX = 4096;
/** Lengths come before all that reads the text. A character has at most two units of UTF-16. */
function boundedText({ type, format, pattern, enum: values, maxLength }: Node, coerce: Coerce): Coerce {
  const most = maxLength ?? (format || pattern || values ? CHECKED_MAX : undefined);
  if (type !== 'string' || format === 'binary' || most === undefined) return coerce;
  return (value, path, run) =>
    typeof value === 'string' && value.length > 2 * most
      ? wrong(run, path, `must have at most ${most} characters`)
      : coerce(value, path, run);
}

function compileNullable(options: Node[]): Coerce {
  const [only, ...others] = options.filter(({ type }) => type !== 'null');
  if (!only || others.length > 0 || options.length === 1)
    throw new Error('A contract may only join a schema with null.');
  const coerce = compileCoercion(only);
  const isText = only.type === 'string' && !('format' in only) && !only.enum;
  return (value, path, run) =>
    value === null || (run.form && value === '' && !isText) ? null : coerce(value, path, run);
}

/** Some clients write what is nested in a form as JSON, without its type. */
function read(value: unknown, opening: '{' | '[', { form }: Coercion): unknown {
  if (!form || typeof value !== 'string' || !value.trimStart().startsWith(opening)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const nested = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

/** Fields that the contract names; of a map, names that the client chooses, with values of one kind. */
function compileObject({ properties = {}, required = [], additionalProperties }: Node): Coerce {
  const fields = Object.entries(properties).map(([name, field]) => ({ name, coerce: compileCoercion(field), field }));
  const coerceEntry = additionalProperties && compileCoercion(additionalProperties);
  return (given, path, run) => {
    const value = read(given, '{', run);
    if (!isObject(value)) return wrong(run, path, 'must be an object');
    const result: [name: string, value: unknown][] = [];
    for (const { name, coerce, field } of fields) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (given !== undefined) result.push([name, coerce(given, nested(path, name), run)]);
      else if (field.default !== undefined) result.push([name, field.default]);
      else if (required.includes(name)) wrong(run, nested(path, name), 'is required');
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(properties, name)) continue;
      if (coerceEntry) {
        if (!storable(name)) wrong(run, path, 'must not have names with null bytes or broken characters');
        result.push([name, coerceEntry(value[name], nested(path, name), run)]);
      } else if (run.unknown.length < UNKNOWN_NAMED_MAX) run.unknown.push(nested(path, name).slice(0, 100));
    }
    return Object.fromEntries(result);
  };
}

function compileArray({ items = {}, maxItems = Number.MAX_SAFE_INTEGER, 'x-separated': isSeparated }: Node): Coerce {
  const coerce = compileCoercion(items);
  const listOf = (value: unknown, { form, query }: Coercion) => {
    if (Array.isArray(value)) return value;
    if (value === '' && !query && (isSeparated || form)) return [];
    if (isSeparated && typeof value === 'string') return value.split(/[,|]/, maxItems + 1);
    const isOne = typeof value !== 'object' || value === null || 'bytes' in value;
    return (isSeparated && typeof value === 'number') || (form && isOne) ? [value] : undefined;
  };
  return (given, path, run) => {
    const list = listOf(items.type === 'string' ? given : read(given, '[', run), run);
    if (!list) return wrong(run, path, 'must be a list');
    if (list.length > maxItems) return wrong(run, path, `must have at most ${maxItems} entries`);
    return list.map((entry, i) => coerce(entry, `${path}[${i}]`, run));
  };
}

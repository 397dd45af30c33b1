import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { type Coercion, compileCoercion } from './coerce.ts';
import { type FieldError, refuseFields } from './errors.ts';

/** Exported for the tests. Schemas are checked against the metaschema in server/schema.test.ts, not at every start. */
export const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});
(addFormats as unknown as { default: (target: Ajv2020) => void }).default(ajv);
ajv.addKeyword({ keyword: 'x-file', schemaType: 'boolean' });

const checkOf = (format: string) => (ajv.formats[format] as { validate: (text: string) => boolean }).validate;
const [isDate, isMoment] = [checkOf('date'), checkOf('date-time')];
const accepts = (build: (text: string) => unknown) => (text: string) => {
  try {
    return build(text) !== undefined;
  } catch {
    return false;
  }
};
/** RFC 3339 has offsets up to 23:59; PostgreSQL, and the world, have less than 16 hours. */
const TOO_FAR = /[+-](1[6-9]|2\d):?\d\d$/;
const formats = {
  binary: true,
  // RFC 3339 has a year 0000; PostgreSQL does not. In UTC, as it is stored, every moment has a year of four digits.
  date: (text: string) => !text.startsWith('0000') && isDate(text),
  'date-time': (text: string) => {
    const year = new Date(text).getUTCFullYear();
    return year >= 1 && year <= 9999 && isMoment(text) && !TOO_FAR.test(text);
  },
  language: accepts((tag) => new Intl.Locale(tag)),
  timezone: accepts((timeZone) => new Intl.DateTimeFormat('en', { timeZone })),
} as const;
for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);

export type Check = (value: unknown, where: Where) => unknown;
type Where = Pick<Coercion, 'form' | 'query'> & { warnings: string[]; ignored?: string[] };

/**
 * Coerces, names what it ignored, validates; throws one `invalid_request` with every field that is wrong. Compiled by
 * its first use: to compile all of them would be half of the start.
 */
export function compileCheck(schema: TSchema): Check {
  const compile = () => ({ coerce: compileCoercion(schema), validate: ajv.compile(withoutFiles(schema)) });
  let compiled: ReturnType<typeof compile> | undefined;
  return (value, { warnings, ignored, ...where }) => {
    compiled ??= compile();
    const run: Coercion = { ...where, errors: [], unknown: [] };
    const coerced = compiled.coerce(value, '', run);
    if (run.errors.length === 0 && !compiled.validate(coerced))
      run.errors.push(...(compiled.validate.errors ?? []).filter(saysWhy).map(fieldError));
    ignored?.push(...run.unknown);
    if (run.errors.length > 0) refuseFields(run.errors);
    for (const name of run.unknown) warnings.push(`Ignored "${name}": this endpoint has no such field.`);
    return coerced;
  };
}

/** Of a field that may be null, the reason is what its value breaks, not that it is not null. */
const saysWhy = ({ keyword, params }: ErrorObject) =>
  keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null');

const fieldError = ({ instancePath, keyword, params, message }: ErrorObject): FieldError => ({
  path: pathOf(instancePath),
  message: sentences[keyword]?.(params) ?? message ?? 'is not valid',
});

/** `/cards/0/buttons/1/link` -> `cards[0].buttons[1].link` */
export const pathOf = (pointer: string) =>
  pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

const formatNames: Record<string, string> = {
  date: 'date (YYYY-MM-DD)',
  'date-time': 'ISO 8601 timestamp with a time zone',
  uri: 'URL',
  email: 'e-mail address',
  language: 'BCP 47 language tag, for example de or en-GB',
  timezone: 'IANA time zone, for example Europe/Berlin',
};

/** By the keyword of the schema that a value breaks. */
const sentences: Record<string, (params: ErrorObject['params']) => string> = {
  enum: ({ allowedValues }) => `must be one of ${allowedValues.join(', ')}`,
  format: ({ format }) => `must be a valid ${formatNames[format] ?? format}`,
  pattern: () => 'is not written as this field is (see its description)',
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} entr${limit === 1 ? 'y' : 'ies'}`,
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
};

/** Uploaded files are checked by the coercion; JSON Schema would want text there. */
const withoutFiles = (schema: TSchema): object =>
  JSON.parse(JSON.stringify(schema, (_key, part) => (part?.['x-file'] ? {} : part)));

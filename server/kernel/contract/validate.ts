import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { type Coercion, compileCoercion } from './coerce.ts';
import { type FieldError, refuseFields } from './errors.ts';

/** Schemas are checked against the metaschema in server/schema.test.ts, not at every start. */
const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});
(addFormats as unknown as { default: (target: Ajv2020) => void }).default(ajv);
ajv.addKeyword({ keyword: 'x-file', schemaType: 'boolean' });
ajv.addFormat('binary', true);
// RFC 3339 has a year 0000; PostgreSQL does not. In UTC, as it is stored, every moment has a year of four digits.
const { validate: isDate } = ajv.formats.date as { validate: (text: string) => boolean };
ajv.addFormat('date', (text: string) => !text.startsWith('0000') && isDate(text));
const { validate: isMoment } = ajv.formats['date-time'] as { validate: (text: string) => boolean };
ajv.addFormat('date-time', (text: string) => {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999 && isMoment(text);
});
ajv.addFormat('language', (tag: string) => accepted(() => new Intl.Locale(tag)));
ajv.addFormat('timezone', (zone: string) => accepted(() => new Intl.DateTimeFormat('en', { timeZone: zone })));

function accepted(build: () => unknown): boolean {
  try {
    return build() !== undefined;
  } catch {
    return false;
  }
}

const formatNames: Record<string, string> = {
  date: 'date (YYYY-MM-DD)',
  'date-time': 'ISO 8601 timestamp with a time zone',
  uri: 'URL',
  email: 'e-mail address',
  language: 'BCP 47 language tag, for example de or en-GB',
  timezone: 'IANA time zone, for example Europe/Berlin',
};

export type Check = (value: unknown, where: { form: boolean; warnings: string[] }) => unknown;

/** Coerces, names what it ignored, validates; throws one `invalid_request` with every field that is wrong. Compiled by its first use: to compile all of them would be half of the start. */
export function compileCheck(schema: TSchema): Check {
  const compile = () => ({ coerce: compileCoercion(schema), validate: ajv.compile(withoutFiles(schema)) });
  let compiled: ReturnType<typeof compile> | undefined;
  return (value, { form, warnings }) => {
    compiled ??= compile();
    const { coerce, validate } = compiled;
    const run: Coercion = { form, errors: [], unknown: [] };
    const coerced = coerce(value, '', run);
    if (run.errors.length === 0 && !validate(coerced))
      run.errors.push(...(validate.errors ?? []).filter(saysWhy).map(fieldError));
    if (run.errors.length > 0) refuseFields(run.errors);
    for (const name of run.unknown) warnings.push(`Ignored "${name}": this endpoint has no such field.`);
    return coerced;
  };
}

/** For tests and emitted events: strict, nothing coerced, nothing undeclared. */
export function compileStrict(schema: TSchema): (value: unknown) => string[] {
  const validate: ValidateFunction = ajv.compile(closed(schema) as object);
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(
          (error) => `${pathOf(error.instancePath)} ${error.message} ${JSON.stringify(error.params)}`,
        );
}

/** Of a field that may be null, the reason is what its value breaks, not that it is not null. */
const saysWhy = ({ keyword, params }: ErrorObject) =>
  keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null');

function fieldError(error: ErrorObject): FieldError {
  return { path: pathOf(error.instancePath), message: sentence(error) };
}

/** `/cards/0/buttons/1/link` -> `cards[0].buttons[1].link` */
const pathOf = (pointer: string) =>
  pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

function sentence({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'format':
      return `must be a valid ${formatNames[params.format] ?? params.format}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'maxItems':
      return `must have at most ${params.limit} entries`;
    case 'minItems':
      return `must have at least ${params.limit} entr${params.limit === 1 ? 'y' : 'ies'}`;
    case 'minimum':
      return `must be ${params.limit} or more`;
    case 'maximum':
      return `must be ${params.limit} or less`;
    default:
      return message ?? 'is not valid';
  }
}

/** Uploaded files are checked by the coercion; JSON Schema would want text there. */
function withoutFiles(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema, (_key, value) => (value?.['x-file'] ? {} : value)));
}

function closed(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (_key, value) =>
      value?.type === 'object' && value.properties && value.additionalProperties === undefined
        ? { ...value, additionalProperties: false }
        : value,
    ),
  );
}

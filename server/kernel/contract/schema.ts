// The words that contracts are written in: JSON Schema as plain objects, typed by TypeBox. Import it as `t`.
//
// Only TypeBox's types are used: loading its builders, some hundred small files, would be a fifth of the start.
import type { Static, TSchema, Type as TypeBox } from 'typebox';

type Options = Record<string, unknown>;
const optional = new WeakSet<object>();

const builders = {
  Null: () => ({ type: 'null' }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  String: (options?: Options) => ({ type: 'string', ...options }),
  Array: (items: object, options?: Options) => ({ type: 'array', items, ...options }),
  Union: (anyOf: object[], options?: Options) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => schema,
  Optional(schema: object) {
    const marked = { ...schema };
    optional.add(marked);
    return marked;
  },
  Object(properties: Record<string, object>, options?: Options) {
    const isRequired = (schema: object) => !optional.has(schema) && !('default' in schema);
    const required = Object.keys(properties).filter((name) => isRequired(properties[name] ?? {}));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
};

const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
const {
  Integer,
  Optional,
  Union,
  Unsafe,
  Array: ArrayOf,
  Boolean: BooleanOf,
  Object: ObjectOf,
  String: StringOf,
} = Type;

export type { Static };
/** An object of the input drops what it does not know, and names it in `meta.warnings`. */
export {
  ArrayOf as Array,
  BooleanOf as Boolean,
  Integer,
  ObjectOf as Object,
  Optional,
  StringOf as String,
  Union,
  Unsafe,
};

/** A file in a multipart body. One that is large lies on disk, where it is deleted when the answer is sent. */
export interface UploadedFile {
  file_name: string;
  content_type: string;
  byte_size: number;
  /** Where a file that was streamed lies until the answer is sent. */
  readonly path?: string;
  /** All of it. */
  bytes(): Promise<Buffer>;
}

const note = (description?: string) => (description === undefined ? {} : { description });
/** Largest id: JSON numbers are exact up to here. */
export const ID_MAX = Number.MAX_SAFE_INTEGER;

export const Id = (description?: string) => Integer({ minimum: 1, maximum: ID_MAX, ...note(description) });
export const ExternalId = (description?: string) => StringOf({ minLength: 1, maxLength: 255, ...note(description) });
export const Text = (max: number, description?: string) => StringOf({ maxLength: max, ...note(description) });
export const RequiredText = (max: number, description?: string) =>
  StringOf({ minLength: 1, maxLength: max, ...note(description) });
/** A document: handlers get it sanitised (kernel/html). */
export const Html = (max: number, description = '') =>
  StringOf({ maxLength: max, 'x-html': true, description: `Sanitised HTML. ${description}`.trim() });
export const Email = (description?: string) => StringOf({ format: 'email', maxLength: 254, ...note(description) });
export const Url = (description?: string) => StringOf({ format: 'uri', maxLength: 2048, ...note(description) });
export const CalendarDate = (description?: string) => StringOf({ format: 'date', ...note(description) });
/** ISO 8601, UTC, microseconds. */
export const Timestamp = (description?: string) => StringOf({ format: 'date-time', ...note(description) });
export const Language = (description = 'BCP 47.') => StringOf({ format: 'language', maxLength: 35, description });
export const Timezone = (description = 'IANA time zone.') =>
  StringOf({ format: 'timezone', maxLength: 64, description });
export const Colour = (description?: string) =>
  StringOf({ pattern: '^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,20})$', ...note(description) });
/** An address that a browser opens when somebody clicks it. */
export const Link = (description?: string) =>
  StringOf({ format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://', maxLength: 2048, ...note(description) });
/** Texts under names that the client chooses. */
export const Texts = (properties_max: number, max: number, description?: string) =>
  Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: max },
    maxProperties: properties_max,
    ...note(description),
  });
/** What no answer shows; the description says why. */
export const WriteOnly = <S extends TSchema>(schema: S): S => ({ ...schema, writeOnly: true });
/** A yes-or-no that the interface writes as 0 or 1. */
export const Bit = (description?: string) => Integer({ minimum: 0, maximum: 1, ...note(description) });
export const Flag = (description?: string) => BooleanOf(note(description));
/** It works as before; its description says what to use instead. */
export const Deprecated = <S extends TSchema>(schema: S): S => ({ ...schema, deprecated: true });
export const Nullable = <S extends TSchema>(schema: S) => Union([schema, Type.Null()]);
export const OneOf = <const V extends readonly string[]>(values: V, description?: string) =>
  Unsafe<V[number]>({ type: 'string', enum: [...values], ...note(description) });
/** Ids as an array, repeated, or one text with commas or bars. */
export const IdList = (description?: string) =>
  ArrayOf(Id(), { maxItems: 1000, 'x-separated': true, ...note(description) });
/** As `IdList`, or the word `all`: every one that the caller can access. Read it with `idsOrAll`. */
export const IdListOrAll = (description?: string) =>
  ArrayOf(StringOf({ pattern: '^(all|[1-9]\\d{0,15})$' }), {
    maxItems: 1000,
    'x-separated': true,
    ...note(description),
  });
export const idsOrAll = (given: readonly string[] | undefined): readonly number[] | 'all' | undefined =>
  given?.includes('all') ? 'all' : given?.map(Number);
export const File = (description?: string) =>
  Unsafe<UploadedFile>({ 'x-file': true, type: 'string', format: 'binary', ...note(description) });
/** A picture that null, or an empty text in a form, takes away. */
export const Picture = () =>
  Nullable(File('PNG, JPEG, GIF or WebP, at most 5 MB; null removes it. Kept when omitted.'));
/** Query of lists that days limit; read it with `onDays`. */
export const days = {
  startDate: Optional(CalendarDate("First day, in the organisation's time zone.")),
  endDate: Optional(CalendarDate('Last day, inclusive.')),
};

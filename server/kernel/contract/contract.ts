// An endpoint is declared once; route, validation, coercion, scope, OpenAPI and the sweep's tests follow from it.
import type { Static, TObject, TSchema } from 'typebox';
import { Type } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type BodyFormat = 'json' | 'multipart' | 'urlencoded' | 'none';
export type Role = 'user' | 'moderator' | 'admin' | 'developer' | 'it_admin';

export interface Endpoint {
  readonly method: Method;
  /** OpenAPI form, for example `/v1/pages/{id}`. Parameters are integers unless `params` says otherwise. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Scope that a key must hold (`family.part.read|write`), or null for an endpoint anyone may call. */
  readonly scope: string | null;
  /** Roles that let a signed-in person in; without it the scope that the person's roles imply decides. */
  readonly roles?: readonly Role[];
  /** `person` refuses API keys: the endpoint only makes sense for somebody. `session` refuses user JWTs too. */
  readonly actors?: 'session' | 'person';
  readonly status?: 200 | 201 | 204;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The format that the interface documents; the other formats are accepted as well. */
  readonly documented?: BodyFormat;
  readonly reply?: TSchema;
  /** The reply is a document of this media type, without the envelope. */
  readonly media?: `${string}/${string}`;
  /** The reply is a page of these; `skip` and `take` join the query. */
  readonly list?: TSchema;
  readonly meta?: TSchema;
  /** Fields of the reply beside `data`, where the interface puts some there. */
  readonly beside?: TObject;
  /** Stable error codes beyond those every endpoint has, with their status. */
  readonly errors?: Readonly<Record<string, number>>;
  /** Event actions that this endpoint may write to the outbox. */
  readonly emits?: readonly string[];
  /** A call that works on the demo organisation; the documentation shows it and the sweep executes it. */
  readonly example: Example;
}

export interface Example {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export type Endpoints = Readonly<Record<string, Endpoint>>;
export interface Family<E extends Endpoints = Endpoints> {
  readonly name: string;
  readonly description: string;
  readonly endpoints: E;
}

export const endpoint = <const E extends Endpoint>(declared: E): E => declared;
export const family = <E extends Endpoints>(name: string, description: string, endpoints: E): Family<E> => ({
  name,
  description,
  endpoints,
});

/** A row by its own id or by the caller's. */
export type Key = number | { external_id: string };
/** Endpoints of which those under `/{id}` also exist under `/by-external-id/{external_id}`, named `…ByExternalId`. */
export interface Keyed<E extends Endpoints> {
  readonly declared: E;
  readonly endpoints: Endpoints;
}
export function byBothKeys<const E extends Endpoints>(declared: E, example_external_id: string | number): Keyed<E> {
  const external_id =
    typeof example_external_id === 'number'
      ? Type.Integer({ minimum: 0, maximum: ID_MAX })
      : Type.String({ minLength: 1, maxLength: 255 });
  const twins = Object.entries(declared)
    .filter(([, { path }]) => path.includes('/{id}'))
    .map(([name, one]): [string, Endpoint] => [
      `${name}ByExternalId`,
      {
        ...one,
        path: one.path.replace('/{id}', '/by-external-id/{external_id}'),
        summary: `${one.summary}, by external id`,
        params: Type.Object({ external_id, ...othersOf(one.path) }),
        example: { ...one.example, params: { external_id: example_external_id, ...one.example.params } },
      },
    ]);
  return { declared, endpoints: { ...declared, ...Object.fromEntries(twins) } };
}
const othersOf = (path: string) =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (name === 'id' ? [] : [[name, Id()]])),
  );

type Of<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: K extends 'external_id' ? string : number } & PathParams<Rest>
  : object;
export type Params<E extends Endpoint> = Of<E['params'], PathParams<E['path']>>;
export type Body<E extends Endpoint> = Of<E['body'], undefined>;
export type Query<E extends Endpoint> = Of<E['query'], object> & (E['list'] extends TSchema ? Paging : object);
export interface Paging {
  skip: number;
  take: number;
}

// ---- Schema vocabulary -------------------------------------------------------------------------------------------

/** A file in a multipart body. `bytes()` reads it whole; a large one lies on disk, where it is deleted when the answer is sent. */
export interface UploadedFile {
  file_name: string;
  content_type: string;
  byte_size: number;
  /** Where a file that was streamed lies until the answer is sent. */
  readonly path?: string;
  bytes(): Promise<Buffer>;
}

const note = (description?: string) => (description === undefined ? {} : { description });
/** Largest id: JSON numbers are exact up to here. */
export const ID_MAX = Number.MAX_SAFE_INTEGER;

export const Id = (description?: string) => Type.Integer({ minimum: 1, maximum: ID_MAX, ...note(description) });
export const ExternalId = (description?: string) => Type.String({ minLength: 1, maxLength: 255, ...note(description) });
export const Text = (max: number, description?: string) => Type.String({ maxLength: max, ...note(description) });
export const RequiredText = (max: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: max, ...note(description) });
export const Email = (description?: string) => Type.String({ format: 'email', maxLength: 254, ...note(description) });
export const Url = (description?: string) => Type.String({ format: 'uri', maxLength: 2048, ...note(description) });
export const CalendarDate = (description?: string) => Type.String({ format: 'date', ...note(description) });
export const Timestamp = (description?: string) =>
  Type.String({ format: 'date-time', description: description ?? 'ISO 8601, UTC, microseconds.' });
export const Language = (description?: string) =>
  Type.String({ format: 'language', maxLength: 35, description: description ?? 'BCP 47.' });
export const Timezone = (description?: string) =>
  Type.String({ format: 'timezone', maxLength: 64, description: description ?? 'IANA time zone.' });
export const Colour = (description?: string) =>
  Type.String({
    pattern: '^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,20})$',
    ...note(description),
  });
/** An address that a browser opens when somebody clicks it. */
export const Link = (description?: string) =>
  Type.String({ format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://', maxLength: 2048, ...note(description) });
/** Texts under names that the client chooses. */
export const Texts = (properties_max: number, max: number, description?: string) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: max },
    maxProperties: properties_max,
    ...note(description),
  });
/** A yes-or-no that the interface writes as 0 or 1. */
export const Bit = (description?: string) => Type.Integer({ minimum: 0, maximum: 1, ...note(description) });
export const Flag = (description?: string) => Type.Boolean(note(description));
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const OneOf = <const V extends readonly string[]>(values: V, description?: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...note(description) });
/** As `IdList`, or the word `all`: every one that the caller can access. Read it with `idsOrAll`. */
export const IdListOrAll = (description?: string) =>
  Type.Array(Type.String({ pattern: '^(all|[1-9]\\d{0,15})$' }), {
    maxItems: 1000,
    'x-separated': true,
    ...note(description),
  });
export const idsOrAll = (given: readonly string[] | undefined): readonly number[] | 'all' | undefined =>
  given?.includes('all') ? 'all' : given?.map(Number);
export const File = (description?: string) =>
  Type.Unsafe<UploadedFile>({ 'x-file': true, type: 'string', format: 'binary', ...note(description) });
/** A picture that null, or an empty text in a form, takes away. */
export const Picture = () =>
  Type.Union([File('PNG, JPEG, GIF or WebP, at most 5 MB; null removes it. Kept when omitted.'), Type.Null()]);
/** Query of lists that days limit; read it with `onDays`. */
export const days = {
  startDate: Type.Optional(CalendarDate("First day, in the organisation's time zone.")),
  endDate: Type.Optional(CalendarDate('Last day, inclusive.')),
};
/** Ids as an array, repeated, or one text with commas or bars; `all` where the family allows it. */
export const IdList = (description?: string) =>
  Type.Array(Id(), { maxItems: 1000, 'x-separated': true, ...note(description) });
/** Input objects of one shape and output objects of one shape: unknown input is dropped and named in `meta.warnings`. */
export const Shape = Type.Object;
export const Optional = Type.Optional;
export const List = Type.Array;
export type { Static };
export { Type };

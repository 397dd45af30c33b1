// An endpoint is declared once; route, validation, coercion, scope, OpenAPI and the sweep's tests follow from it.
//
//   family('goals', 'Company values.', {
//     getGoal: endpoint('GET /v1/goals/{id}', 'Read a goal', { reply: Goal, example: … }),
//   })
//
// The key is the operationId, which is also the name of its handler (kernel/http/routes.ts). `t` of schema.ts has the
// words for what comes in and goes out; coerce.ts turns what a client wrote into that, validate.ts says what is wrong
// with it, and errors.ts is how anything is refused.
import type { Static, TObject, TSchema } from 'typebox';
import { ExternalId, ID_MAX, Id, Integer, Object as ObjectOf } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type BodyFormat = 'json' | 'multipart' | 'urlencoded' | 'none';
export type Role = 'user' | 'moderator' | 'admin' | 'developer' | 'it_admin';

export interface Endpoint {
  readonly method: Method;
  /** OpenAPI form, for example `/v1/pages/{id}`. Parameters are integers unless `params` says otherwise. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** operationId, where the endpoint's key is a word that it shares with those of other nouns. */
  readonly operation?: string;
  /**
   * operationId of the same under `/by-external-id/{external_id}`; handlers get either key as `params.id`. The example
   * then has both.
   */
  readonly byExternalId?: string | Twin;
  /**
   * Scope that a key must hold (`family.part.read|write`), or null for an endpoint that anyone may call. Omitted:
   * `<family>.*.read` for GET, `<family>.*.write` for all else.
   */
  readonly scope?: string | null;
  /** Roles that let a signed-in person in; without it the scope that the person's roles imply decides. */
  readonly roles?: readonly Role[];
  /**
   * `person` refuses API keys: the endpoint only makes sense for somebody. `session` refuses user JWTs too.
   * `app` takes nothing but an app's own JWT. `credential` takes whatever is good, with any scopes or none.
   */
  readonly actors?: 'session' | 'person' | 'app' | 'credential';
  readonly status?: 200 | 201 | 204;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The format that the interface documents, JSON unless it is said; the other formats are accepted as well. */
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
  /** Its answer sets a cookie, or ends one. */
  readonly setsCookie?: true;
  /** It is going to be taken away: answers say so. */
  readonly deprecated?: Deprecation;
  /** Event actions that this endpoint may write to the outbox. */
  readonly emits?: readonly string[];
  /** A call that works on the demo organisation; the documentation shows it and the sweep executes it. */
  readonly example: Example;
}

export interface Deprecation {
  /** ISO 8601. */
  readonly since: string;
  /** When it stops working. */
  readonly sunset?: string;
  /** Address of what to use instead. */
  readonly about: string;
}

/** What differs where a row is named by the caller's id. */
export type Twin = { readonly operation: string } & Partial<Pick<Endpoint, 'description' | 'documented' | 'example'>>;

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

type Route = `${Method} /${string}`;
type MethodOf<R extends Route> = R extends `${infer M extends Method} ${string}` ? M : never;
type PathOf<R extends Route> = R extends `${Method} ${infer P}` ? P : never;
type Declared = Omit<Endpoint, 'method' | 'path' | 'summary'>;
/** `route` is method and path, `summary` half a sentence. */
export function endpoint<const R extends Route, const E extends Declared>(route: R, summary: string, declared: E) {
  const [method, path] = route.split(' ') as [MethodOf<R>, PathOf<R>];
  return { method, path, summary, ...declared };
}
export function family<E extends Endpoints>(name: string, description: string, declared: E): Family<E> {
  const scoped = Object.entries(declared).map(([key, one]) => {
    const { scope = `${name}.*.${one.method === 'GET' ? 'read' : 'write'}`, documented = one.body && 'json' } = one;
    return [key, { ...one, scope, documented }];
  });
  return { name, description, endpoints: Object.fromEntries(scoped) };
}

/** A row by its own id or by the caller's. */
export type Key = number | { external_id: string | number };

/** Every operation of a family by its operationId, with what is declared for it. */
export function operationsOf({ endpoints }: Family): { operation: string; endpoint: Endpoint; key: string }[] {
  return Object.entries(endpoints).flatMap(([key, endpoint]) => {
    const own = { operation: endpoint.operation ?? key, endpoint, key };
    const { byExternalId: twin } = endpoint;
    if (twin === undefined) return [own];
    const { operation, ...other } = typeof twin === 'string' ? { operation: twin } : twin;
    return [own, { operation, endpoint: { ...byExternalId(endpoint), ...other }, key }];
  });
}

/** External ids are of the type that the example has. */
function byExternalId(endpoint: Endpoint): Endpoint {
  const isNumber = typeof endpoint.example.params?.external_id === 'number';
  const external_id = isNumber ? Integer({ minimum: 0, maximum: ID_MAX }) : ExternalId();
  const others = namesIn(endpoint.path).filter((name) => name !== 'id');
  return {
    ...endpoint,
    path: endpoint.path.replace('/{id}', '/by-external-id/{external_id}'),
    summary: `${endpoint.summary}, by external id`,
    params: ObjectOf({ external_id, ...Object.fromEntries(others.map((name) => [name, Id()])) }),
  };
}
/** Parameters in a path. */
export const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

type Of<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;
type PathParams<P extends string, Id> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: K extends 'external_id' ? string : K extends 'id' ? Id : number } & PathParams<Rest, Id>
  : object;
type IdOf<E extends Endpoint> = E['byExternalId'] extends string | Twin ? Key : number;
export type Params<E extends Endpoint> = Of<E['params'], PathParams<E['path'], IdOf<E>>>;
export type Body<E extends Endpoint> = Of<E['body'], undefined>;
export type Query<E extends Endpoint> = Of<E['query'], object> & (E['list'] extends TSchema ? Paging : object);
export interface Paging {
  skip: number;
  take: number;
  /** Of lists whose rows have updated_at. */
  updated_after?: string | undefined;
}

// Requests to the API. The name of an endpoint is its method and path, as the contract has it; a wrong path, a missing
// parameter or an unknown field does not compile.
//
//   const { data } = await call('GET /v1/updates/{id}', { params: { id: 7 } });
import type { BodyOf, Contract, MetaOf, QueryOf, ReplyOf } from './contracts.ts';

/** What the server refused, or that it could not be reached (status 0). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly { path: string; message: string }[];
  readonly request_id: string | undefined;
  constructor(status: number, body: Partial<Failure> = {}) {
    super(body.message ?? 'The server could not be reached.');
    this.status = status;
    this.code = body.code ?? 'unreachable';
    this.errors = body.meta?.errors ?? [];
    this.request_id = body.meta?.request_id;
  }
  /** Whatever else went wrong on the way is the network's. */
  static of = (error: unknown) => (error instanceof Refusal ? error : new Refusal(0));
}
interface Failure {
  message: string;
  code: string;
  meta: { errors?: { path: string; message: string }[]; request_id?: string };
}
export interface Page {
  skip: number;
  take: number;
  total_records: number;
  next_page: string | null;
}
export interface Answer<T, M = object> {
  data: T;
  /** `next`: of what goes on by a place instead of a number. */
  meta: { pagination?: Page; next?: string | null } & M;
  /** Of a single thing: what it was when it was read. */
  etag?: string | undefined;
}

type Names<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Options<R extends keyof Contract> = {
  query?: QueryOf<Contract[R]>;
  body?: BodyOf<Contract[R]>;
  /** What it is about is on its way out: nobody waits for the answer. */
  signal?: AbortSignal;
  /** Only if the thing still is what it was then; else 412. */
  if_match?: string | undefined;
} & ([Names<R>] extends [never] ? { params?: undefined } : { params: Record<Names<R>, string | number> });

const RETRIES = 2;
let csrf_token = '';
let onSignedOut = () => {};
/** Every request that writes carries the token of the session; a 401 says that there is none any more. */
export function useSession(token: string, signedOut: () => void) {
  csrf_token = token;
  onSignedOut = signedOut;
}

export const call = <R extends keyof Contract>(
  route: R,
  ...[options]: [Names<R>] extends [never] ? [options?: Options<R>] : [options: Options<R>]
) => request<ReplyOf<Contract[R]>, MetaOf<Contract[R]>>(route, options as Untyped | undefined);

interface Untyped {
  params?: Record<string, string | number>;
  query?: object;
  body?: object;
  signal?: AbortSignal;
  if_match?: string | undefined;
}
/** As `call`, for the endpoints that several families have under their own paths. */
export async function request<T, M = object>(route: string, options: Untyped = {}): Promise<Answer<T, M>> {
  const [method = 'GET', path = ''] = route.split(' ');
  const { params = {}, query = {}, body, signal, if_match } = options;
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = asked.length > 0 ? `?${new URLSearchParams(asked.map(([name, value]) => [name, String(value)]))}` : '';
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')) + search;
  const isWrite = method !== 'GET';
  const init: RequestInit = {
    method,
    signal: signal ?? null,
    headers: {
      accept: 'application/json',
      ...(isWrite ? { 'x-csrf-token': csrf_token } : {}),
      ...(if_match ? { 'if-match': if_match } : {}),
      ...(body && !(body instanceof FormData) ? { 'content-type': 'application/json' } : {}),
    },
    body: body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body),
  };
  const response = await sent(url, init, isWrite ? 0 : RETRIES);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return { ...answer, etag: response.headers.get('etag') ?? undefined };
  const refusal = new Refusal(response.status, answer);
  if (response.status === 401 && refusal.code !== 'sign_in_failed') onSignedOut();
  throw refusal;
}

/** A read is tried again when the network fails. A write is not: that no answer came does not say that it failed. */
async function sent(url: string, init: RequestInit, retries: number): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    if (retries === 0) throw new Refusal(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return sent(url, init, retries - 1);
  }
}

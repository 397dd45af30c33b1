// A tool's call is a request to this server: same validation, permissions, limits, log and audit as any other. It is
// made inside the process, and the actor that /mcp has recognised is handed on under a name that is used once.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../kernel/contract/contract.ts';
import { originOf } from '../../kernel/http/origin.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Actor, Authenticator } from '../../kernel/people/auth.ts';
import { insertEvent } from '../audit/queries.ts';

const HEADER = 'x-atrium-inner-call';
const begun = new Map<string, Actor>();
export const innerAuthenticator: Authenticator = async ({ headers }) => {
  const name = headers[HEADER];
  if (typeof name !== 'string') return undefined;
  const actor = begun.get(name);
  begun.delete(name);
  return actor;
};

export interface Outcome {
  readonly status: number;
  readonly etag: string | undefined;
  /** The API's envelope. */
  readonly body: Record<string, unknown>;
}
export interface Caller {
  call(endpoint: Endpoint, parts: Parts, headers?: Record<string, string>): Promise<Outcome>;
  readonly actor: Actor;
  /** A read leaves an entry in the audit log: who reads by an assistant is seen by nobody else. */
  note(tool: string, path: Parts['path'], status: number): Promise<unknown>;
}
export interface Parts {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What says who asks and how they came here; the inner request is seen to come the same way. */
const HANDED_ON = /^(host|user-agent|accept-language|forwarded|x-forwarded-.+)$/;

export const callerOf = (http: FastifyInstance, request: FastifyRequest, actor: Actor, { db }: Services): Caller => ({
  actor,
  note: (tool, path, status) =>
    insertEvent(db.inOrganisation(actor.organisation_id, originOf(request)), 'assistant_calls', null, {
      tool,
      ...path,
      status,
    }),
  async call(endpoint, { path, query, body }, more = {}) {
    const name = randomUUID();
    begun.set(name, actor);
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([header]) => HANDED_ON.test(header)));
    const answer = await http.inject({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(path[field]))),
      query: Object.fromEntries(Object.entries(query).map(([field, value]) => [field, String(value)])),
      headers: { ...headers, accept: 'application/json', ...more, [HEADER]: name },
      remoteAddress: request.socket.remoteAddress ?? '',
      ...(endpoint.body ? { payload: body } : {}),
    });
    begun.delete(name);
    return {
      status: answer.statusCode,
      etag: answer.headers.etag === undefined ? undefined : String(answer.headers.etag),
      body: answer.payload === '' ? {} : answer.json(),
    };
  },
});

// Headers that say where else to look: the resource that was made, the pages around a page, what comes instead. All are
// relative to the request's own address (RFC 3986 4.2), so no host is repeated.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deprecation, Endpoint } from '../contract/contract.ts';
import type { Answer, Page } from './envelope.ts';
import { pathOf } from './methods.ts';

const LAST = /\/\{(\w+)\}$/;
/** `GET /v1/pages/{id}` of `POST /v1/pages`. */
export const isMemberOf = ({ method, status, path }: Endpoint, one: Endpoint) =>
  method === 'POST' &&
  status === 201 &&
  one.method === 'GET' &&
  !one.list &&
  one.path.replace(LAST, '') === path &&
  LAST.test(one.path);

const ID = /^\{"id":(\d+)[,}]/;
/** RFC 9110 10.2.2. */
export function addLocation(reply: FastifyReply, request: FastifyRequest, member: Endpoint, answer: Answer) {
  const data = typeof answer === 'object' && 'data' in answer ? answer.data : answer;
  if (typeof data !== 'string') return;
  const name = LAST.exec(member.path)?.[1] ?? 'id';
  const key = name === 'id' ? ID.exec(data)?.[1] : (JSON.parse(data) as Record<string, unknown>)[name];
  if (key !== undefined) reply.header('location', `${pathOf(request.url)}/${encodeURIComponent(String(key))}`);
}

/** RFC 8288. */
export function addLinks(reply: FastifyReply, { url }: FastifyRequest, paging: Paged, { rows, total }: Page) {
  const { skip, take } = paging;
  const at = (rel: string, from: number) => {
    const query = new URLSearchParams(url.split('?')[1]);
    query.set('skip', String(from));
    query.set('take', String(take));
    return `<${pathOf(url)}?${query}>; rel="${rel}"`;
  };
  const links = [
    ...(rows.length > 0 && skip + rows.length < total ? [at('next', skip + take)] : []),
    ...(skip > 0 ? [at('prev', Math.max(0, skip - take)), at('first', 0)] : []),
  ];
  if (links.length > 0) reply.header('link', links.join(', '));
}
interface Paged {
  skip: number;
  take: number;
}

/** RFC 9745 and RFC 8594. */
export const deprecationHeaders = ({ since, sunset, about }: Deprecation): Record<string, string> => ({
  deprecation: `@${Date.parse(since) / 1000}`,
  ...(sunset ? { sunset: new Date(sunset).toUTCString() } : {}),
  link: `<${about}>; rel="deprecation"`,
});

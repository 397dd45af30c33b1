// The three formats of a body, read into one tree each: `contract/coerce.ts` makes of it what the contract says.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/contract.ts';
import { refuse } from '../contract/errors.ts';
import { type BodyLimits, SMALL_BODY_BYTES_MAX } from './body-limits.ts';
import { type Known, parseUrlencoded } from './fields.ts';
import type { FileLimits } from './form.ts';
import { refuseUnlessBounded } from './json.ts';
import { parseMultipart } from './multipart.ts';
import { textOf, withoutMark } from './text.ts';

/** Of routes that are in no contract. */
const NO_FILES: BodyLimits = {
  isOpen: true,
  text_bytes_max: SMALL_BODY_BYTES_MAX,
  file_fields: new Set(),
  files_max: 0,
  bytes_max: SMALL_BODY_BYTES_MAX,
};

export function addParsers(app: FastifyInstance, limits: FileLimits) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson);
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, readForm);
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    request.form = true;
    const own = request.routeOptions.config.limits ?? NO_FILES;
    const { tree, discard } = await parseMultipart(request.raw, { ...limits, ...own }, knownTo(request));
    request.discardUploads = discard;
    return tree;
  });
}

const bodyText = ({ headers }: FastifyRequest, body: Buffer) => textOf(body, headers['content-type'] ?? '', 'The body');

export async function readJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const bytes = withoutMark(body);
  refuseUnlessBounded(bytes);
  const text = bodyText(request, bytes);
  if (text.trim() === '') return {};
  return parsed(text);
}
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse('malformed_body', `The body is not valid JSON: ${(error as Error).message}.`);
  }
}
async function readForm(request: FastifyRequest, body: Buffer) {
  request.form = true;
  return parseUrlencoded(bodyText(request, withoutMark(body)), knownTo(request));
}

const known = new WeakMap<Endpoint, Known>();
/** Names that a form may have. */
function knownTo({ routeOptions }: FastifyRequest): Known {
  const { endpoint } = routeOptions.config;
  if (!endpoint) return new Set();
  const { properties = {} } = (endpoint.body ?? {}) as { properties?: object };
  const names = known.get(endpoint) ?? new Set(Object.keys(properties));
  known.set(endpoint, names);
  return names;
}

/** A query that cannot be read must not throw inside the router: `refuseUnreadable` does, where that is answered. */
export function readQuery(text: string): Record<string, unknown> {
  try {
    return parseUrlencoded(text);
  } catch (refusal) {
    return { [UNREADABLE]: refusal } as Record<string, unknown>;
  }
}
const UNREADABLE = Symbol('why a query cannot be read');
export function refuseUnreadable({ query }: FastifyRequest) {
  const refusal = (query as { [UNREADABLE]?: unknown })[UNREADABLE];
  if (refusal) throw refusal;
}

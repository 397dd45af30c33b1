// The three formats of a body, read into one tree each: `contract/coerce.ts` makes of it what the contract says.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuse } from '../contract/errors.ts';
import { type BodyLimits, SMALL_BODY_BYTES_MAX } from './body-limits.ts';
import { parseUrlencoded } from './fields.ts';
import type { FileLimits } from './form.ts';
import { parseMultipart } from './multipart.ts';
import { textOf } from './text.ts';

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
    const { tree, discard } = await parseMultipart(request.raw, { ...limits, ...own });
    request.discardUploads = discard;
    return tree;
  });
}

const bodyText = ({ headers }: FastifyRequest, body: Buffer) => textOf(body, headers['content-type'] ?? '', 'The body');

export async function readJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const text = bodyText(request, body);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse('malformed_body', `The body is not valid JSON: ${(error as Error).message}.`);
  }
}

async function readForm(request: FastifyRequest, body: Buffer) {
  request.form = true;
  return parseUrlencoded(bodyText(request, body));
}

/** A query that cannot be read must not throw inside the router: it is refused where the request is answered. */
export function readQuery(text: string): Record<string, unknown> {
  try {
    return parseUrlencoded(text);
  } catch {
    return { skip: 'unreadable query' };
  }
}

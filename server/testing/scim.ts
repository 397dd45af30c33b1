// A SCIM client for the tests: as an identity provider speaks, with the organisation's secret and no Service-Id.
import { type Reply, type TestAtrium, world } from './atrium.ts';

export interface ScimOptions {
  base?: string;
  secret?: string | null;
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
}
export type Scim = (method: string, path: string, options?: ScimOptions) => Promise<Reply>;

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:';
/** Every provider names the schema; a text is sent as it is. */
function withSchemas(method: string, path: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if (path === '/Bulk' && 'Operations' in body && Array.isArray(body.Operations)) {
    const whole = (one: unknown) =>
      typeof one === 'object' && one !== null && 'path' in one && 'data' in one
        ? { ...one, data: withSchemas(String((one as { method?: unknown }).method), String(one.path), one.data) }
        : one;
    return { ...body, Operations: body.Operations.map(whole) };
  }
  const [, type] = /^\/(User|Group)s(\/[^.]*)?$/.exec(path) ?? [];
  return type && /^(POST|PUT)$/i.test(method) ? { schemas: [SCHEMA + type], ...body } : body;
}

const textOf = (method: string, path: string, body: unknown) =>
  typeof body === 'string' ? body : JSON.stringify(withSchemas(method, path, body));

export const scimOf =
  (atrium: TestAtrium, standard: ScimOptions = {}): Scim =>
  (method, path, options = {}) => {
    const {
      base = '/scim/v2/scim',
      secret = world.northwind.scim_secret,
      body,
      type = 'application/scim+json',
      headers,
    } = { ...standard, ...options };
    return atrium.call(method, base + path.replaceAll(' ', '%20').replaceAll('"', '%22'), {
      key: secret,
      service_id: null,
      ...(headers ? { headers } : {}),
      ...(body === undefined ? {} : { raw: { body: textOf(method, path, body), type } }),
    });
  };

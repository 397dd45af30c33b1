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
      ...(body === undefined ? {} : { raw: { body: typeof body === 'string' ? body : JSON.stringify(body), type } }),
    });
  };

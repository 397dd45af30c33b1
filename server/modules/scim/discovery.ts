// RFC 7644 4: what this service provider can do.

import { BULK_OPERATIONS_MAX } from './bulk.ts';
import { parameter, type ScimAnswer, type ScimCall, type ScimHandler } from './call.ts';
import { refuseNotFound, ScimError } from './errors.ts';
import { COUNT_MAX } from './lists.ts';
import { listResponse } from './resources.ts';
import { type ResourceType, resourceTypes, type Schema, schemas } from './schemas.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:';
const answer = (body: unknown): ScimAnswer => ({ status: 200, body: JSON.stringify(body) });
const all = (resources: readonly unknown[]): ScimAnswer => ({
  status: 200,
  body: listResponse(
    resources.length,
    1,
    resources.map((each) => JSON.stringify(each)),
  ),
});
/** RFC 7644 4: a filter on what describes the service is refused. */
const unfiltered = ({ query }: ScimCall) => {
  if (parameter(query, 'filter') !== undefined) throw new ScimError(403, undefined, 'This list takes no filter.');
};

export const getServiceProviderConfig: ScimHandler = async ({ root, services }) =>
  answer({
    schemas: [`${CORE}ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: BULK_OPERATIONS_MAX, maxPayloadSize: services.config.body_bytes_max },
    filter: { supported: true, maxResults: COUNT_MAX },
    changePassword: { supported: true },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM secret',
        description: 'Authorization: Bearer <SCIM secret>, from the provisioning settings of the organisation.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${root}/ServiceProviderConfig` },
  });

const shownType = ({ name, endpoint, core, extensions }: ResourceType, root: string) => ({
  schemas: [`${CORE}ResourceType`],
  id: name,
  name,
  endpoint,
  description: core.description,
  schema: core.id,
  schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType', location: `${root}/ResourceTypes/${name}` },
});
const shownSchema = (schema: Schema, root: string) => ({
  schemas: [`${CORE}Schema`],
  ...schema,
  meta: { resourceType: 'Schema', location: `${root}/Schemas/${schema.id}` },
});

export const getResourceTypes: ScimHandler = async (call) => {
  unfiltered(call);
  return all(resourceTypes.map((type) => shownType(type, call.root)));
};
export const getResourceType: ScimHandler = async ({ id, root }) =>
  answer(shownType(resourceTypes.find(({ name }) => name === id) ?? refuseNotFound(), root));
export const getSchemas: ScimHandler = async (call) => {
  unfiltered(call);
  return all(schemas.map((schema) => shownSchema(schema, call.root)));
};
export const getSchema: ScimHandler = async ({ id, root }) =>
  answer(shownSchema(schemas.find((schema) => schema.id.toLowerCase() === id.toLowerCase()) ?? refuseNotFound(), root));

/** RFC 7644 3.11: the alias of whoever asks. A secret is the organisation's and no person. */
export const getMe: ScimHandler = async () => {
  throw new ScimError(501, undefined, 'A SCIM secret belongs to the organisation: it has no user of its own.');
};

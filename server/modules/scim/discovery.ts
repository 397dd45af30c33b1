// RFC 7644 4: what this service provider can do.
import { isSame, isUrn } from './attributes.ts';
import { BULK_OPERATIONS_MAX } from './bulk.ts';
import type { ScimCall, ScimHandler } from './call.ts';
import { fieldOf } from './document.ts';
import { refuseNotFound, ScimError } from './errors.ts';
import { COUNT_MAX } from './lists.ts';
import { listResponse } from './resources.ts';
import * as schemas from './schemas.ts';

/** A resource that describes, as text. */
const shown = (resourceType: string, path: string, resource: object, { root }: ScimCall): string =>
  JSON.stringify({
    schemas: [`urn:ietf:params:scim:schemas:core:2.0:${resourceType}`],
    ...resource,
    meta: { resourceType, location: `${root}/${path}` },
  });
/** Handlers of the list and of one. */
function describing(resourceType: string, resources: readonly { readonly id: string }[]): [ScimHandler, ScimHandler] {
  const textOf = (one: { id: string }, call: ScimCall) => shown(resourceType, `${resourceType}s/${one.id}`, one, call);
  return [
    async (call) => {
      // RFC 7644 4: a filter on what describes the service is refused.
      if (fieldOf(call.query, 'filter') !== undefined)
        throw new ScimError(403, undefined, 'This list takes no filter.');
      const texts = resources.map((one) => textOf(one, call));
      return { status: 200, body: listResponse(texts.length, 1, texts) };
    },
    async (call) => {
      const isAsked = ({ id }: { id: string }) => (isUrn(id) ? isSame(id, call.id) : id === call.id);
      const one = resources.find(isAsked) ?? refuseNotFound();
      return { status: 200, body: textOf(one, call) };
    },
  ];
}

const resourceTypes = schemas.resourceTypes.map(({ name, endpoint, core, extensions }) => ({
  id: name,
  name,
  endpoint,
  description: core.description,
  schema: core.id,
  schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
}));
export const [getResourceTypes, getResourceType] = describing('ResourceType', resourceTypes);
export const [getSchemas, getSchema] = describing('Schema', schemas.schemas);

const secret = {
  type: 'oauthbearertoken',
  name: 'SCIM secret',
  description: 'Authorization: Bearer <SCIM secret>, from the provisioning settings of the organisation.',
  primary: true,
};
export const getServiceProviderConfig: ScimHandler = async (call) => {
  const [supported, maxPayloadSize] = [true, call.services.config.body_bytes_max];
  const config = {
    patch: { supported },
    bulk: { supported, maxOperations: BULK_OPERATIONS_MAX, maxPayloadSize },
    filter: { supported, maxResults: COUNT_MAX },
    ...{ changePassword: { supported }, sort: { supported }, etag: { supported } },
    authenticationSchemes: [secret],
  };
  return { status: 200, body: shown('ServiceProviderConfig', 'ServiceProviderConfig', config, call) };
};

/** RFC 7644 3.11: the alias of whoever asks. A secret is the organisation's and no person. */
export const getMe: ScimHandler = async () => {
  throw new ScimError(501, undefined, 'A SCIM secret belongs to the organisation: it has no user of its own.');
};

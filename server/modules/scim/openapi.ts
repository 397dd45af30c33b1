// SCIM in the API document: RFC 7643 and 7644, with the attributes that /Schemas shows.
import type { Protocol, PutComponent } from '../../kernel/module.ts';
import type { Attribute, ResourceType } from './attributes.ts';
import type { ScimEndpoint } from './call.ts';
import { scimEndpoints } from './endpoints.ts';
import { groupType, userType } from './schemas.ts';

/** `/Me` never succeeds: a secret is no person. */
const shown = scimEndpoints.filter(({ path }) => path !== '/Me');
const BASE = '/scim/v2/scim';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0:';
const text = { type: 'string' };
const integer = { type: 'integer' };
const textList = { type: 'array', items: text };

function shapeOf(attribute: Attribute): object {
  const { type, multiValued, description, canonicalValues, subAttributes = [] } = attribute;
  const one =
    type === 'complex'
      ? { type: 'object', properties: propertiesOf(subAttributes) }
      : { type: type === 'boolean' ? 'boolean' : 'string', ...(canonicalValues ? { examples: canonicalValues } : {}) };
  return {
    ...(multiValued ? { type: 'array', items: one } : one),
    description,
    ...(attribute.mutability === 'readOnly' ? { readOnly: true } : {}),
    ...(attribute.mutability === 'writeOnly' ? { writeOnly: true } : {}),
  };
}
const propertiesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, shapeOf(attribute)]));

const resourceOf = ({ core, extensions }: ResourceType) => ({
  type: 'object',
  description: core.description,
  required: ['schemas', ...core.attributes.filter(({ required }) => required).map(({ name }) => name)],
  properties: {
    schemas: { ...textList, description: 'URNs of the schemas that it has attributes of.' },
    ...propertiesOf(core.attributes),
    ...Object.fromEntries(
      extensions.map(({ id, description, attributes }) => [
        id,
        { type: 'object', description, properties: propertiesOf(attributes) },
      ]),
    ),
  },
});

const message = (name: string, properties: Record<string, object>, required: readonly string[]) => ({
  type: 'object',
  required: ['schemas', ...required],
  properties: { schemas: { ...textList, description: `${MESSAGES}${name}` }, ...properties },
});
const query = {
  filter: { ...text, description: 'RFC 7644 3.4.2.2, for example `userName eq "ada@northwind.example"`.' },
  startIndex: { ...integer, description: 'From 1.' },
  count: { ...integer, description: 'At most 500.' },
  sortBy: text,
  sortOrder: { type: 'string', enum: ['ascending', 'descending'] },
  attributes: { ...text, description: 'Only these, separated by commas.' },
  excludedAttributes: { ...text, description: 'All but these, separated by commas.' },
};
const operation = {
  type: 'object',
  required: ['op'],
  properties: { op: { ...text, description: 'add, replace or remove.' }, path: text, value: {} },
};
const bulk = {
  type: 'object',
  required: ['method', 'path'],
  properties: { method: text, path: text, bulkId: text, version: text, data: { type: 'object' } },
};
const asLists = { attributes: textList, excludedAttributes: textList };
const messages = {
  ScimUser: resourceOf(userType),
  ScimGroup: resourceOf(groupType),
  ScimPatch: message('PatchOp', { Operations: { type: 'array', items: operation } }, ['Operations']),
  ScimSearch: message('SearchRequest', { ...query, ...asLists }, []),
  ScimBulk: message('BulkRequest', { failOnErrors: integer, Operations: { type: 'array', items: bulk } }, [
    'Operations',
  ]),
  ScimBulkResponse: message('BulkResponse', { Operations: { type: 'array', items: { type: 'object' } } }, [
    'Operations',
  ]),
  ScimList: message(
    'ListResponse',
    {
      ...{ totalResults: integer, startIndex: integer, itemsPerPage: integer },
      Resources: { type: 'array', items: { type: 'object' } },
    },
    ['totalResults', 'Resources'],
  ),
  ScimDescription: { type: 'object', description: 'What the service provider supports: RFC 7643 5 to 7.' },
  ScimError: message('Error', { status: text, scimType: text, detail: text }, ['status', 'detail']),
};
type Message = keyof typeof messages;

/** What an operation takes and answers. */
function shapesOf({ method, path }: ScimEndpoint): { takes?: Message; answers?: Message } {
  const resource = path.startsWith('/Groups') ? 'ScimGroup' : 'ScimUser';
  if (path.endsWith('/.search')) return { takes: 'ScimSearch', answers: 'ScimList' };
  if (path === '/Bulk') return { takes: 'ScimBulk', answers: 'ScimBulkResponse' };
  if (!/^\/(Users|Groups|$)/.test(path)) return { answers: 'ScimDescription' };
  if (method === 'GET') return { answers: path.endsWith('{id}') ? resource : 'ScimList' };
  if (method === 'DELETE') return {};
  return { takes: method === 'PATCH' ? 'ScimPatch' : resource, answers: resource };
}

const refusals: Record<number, string> = {
  400: 'The request breaks the protocol; scimType says how.',
  401: 'No SCIM secret, or an unknown, revoked or foreign one.',
  404: 'There is no such resource.',
  409: 'Another resource has this userName, externalId or displayName.',
  412: 'The resource is not the version that If-Match names.',
  413: 'The body is too large.',
  415: 'Send application/scim+json or application/json.',
  500: 'Something broke on our side.',
};
const statusesOf = ({ method, path }: ScimEndpoint, takes: Message | undefined) => [
  ...[400, 401, 500],
  ...(path.includes('{id}') ? [404] : []),
  ...(takes && path !== '/.search' ? [409] : []),
  ...(method !== 'GET' && path.includes('{id}') ? [412] : []),
  ...(takes ? [413, 415] : []),
];

function operationOf(endpoint: ScimEndpoint, put: PutComponent) {
  const { operation: operationId, method, path, summary } = endpoint;
  const { takes, answers } = shapesOf(endpoint);
  const contentOf = (name: Message) => ({
    'application/scim+json': { schema: put('schemas', [name], messages[name]) },
  });
  const parameter = (where: 'path' | 'query' | 'header', name: string, schema: object) =>
    put('parameters', [`Scim${name.replaceAll('-', '').replace(/^./, (first) => first.toUpperCase())}`], {
      ...{ name, in: where, ...(where === 'path' ? { required: true } : {}), schema },
    });
  const listed = answers === 'ScimList' && method === 'GET';
  const done = answers
    ? put('responses', [answers], { description: 'Done.', content: contentOf(answers) })
    : put('responses', ['ScimDone'], { description: 'Done.' });
  const created = method === 'POST' && /^\/(Users|Groups)$/.test(path);
  return {
    operationId,
    tags: [scimProtocol.name],
    summary,
    description: 'Authenticated by a SCIM secret.',
    security: [{ scim_secret: [] }],
    parameters: [
      ...(path.includes('{id}') ? [parameter('path', 'id', text)] : []),
      ...(listed ? Object.entries(query).map(([name, schema]) => parameter('query', name, schema)) : []),
      ...(method !== 'GET' && path.includes('{id}') ? [parameter('header', 'If-Match', text)] : []),
      ...(method !== 'GET' && path !== '/Bulk' ? [parameter('header', 'X-Dry-Run', { type: 'boolean' })] : []),
    ],
    ...(takes ? { requestBody: put('requestBodies', [takes], { required: true, content: contentOf(takes) }) } : {}),
    responses: {
      [created ? 201 : answers ? 200 : 204]: done,
      ...Object.fromEntries(
        statusesOf(endpoint, takes).map((status) => [
          status,
          put('responses', [`Scim${status}`], {
            ...{ description: refusals[status], content: contentOf('ScimError') },
          }),
        ]),
      ),
    },
  };
}

export const scimProtocol: Protocol = {
  name: 'scim',
  description:
    'SCIM 2.0 (RFC 7643 and 7644): identity providers create, change and deactivate people and teams. The same ' +
    'operations stand under the base paths of other providers; the provisioning settings list them.',
  paths(put) {
    const pathOf = ({ path }: ScimEndpoint) => (BASE + path).replace(/\/$/, '');
    return Object.fromEntries(
      [...Map.groupBy(shown, pathOf)].map(([path, endpoints]) => [
        path,
        Object.fromEntries(endpoints.map((each) => [each.method.toLowerCase(), operationOf(each, put)])),
      ]),
    );
  },
};

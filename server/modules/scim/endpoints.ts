import type { Method } from '../../kernel/contract/contract.ts';
import { bulkOf } from './bulk.ts';
import type { ScimEndpoint, ScimHandler } from './call.ts';
import * as discovery from './discovery.ts';
import * as groups from './groups.ts';
import * as lists from './lists.ts';
import * as users from './users.ts';

const on = (operation: string, method: Method, path: string, handler: ScimHandler, summary: string): ScimEndpoint => ({
  operation,
  method,
  path,
  handler,
  summary,
});

/** What changes resources, also within a bulk request. */
const changes: readonly ScimEndpoint[] = [
  on('scimCreateUser', 'POST', '/Users', users.createUser, 'Create a person, or bring a former one back'),
  on('scimReplaceUser', 'PUT', '/Users/{id}', users.replaceUser, 'Replace a person'),
  on('scimPatchUser', 'PATCH', '/Users/{id}', users.patchUser, 'Change a person'),
  on('scimDeleteUser', 'DELETE', '/Users/{id}', users.deleteUser, 'Deactivate a person'),
  on('scimCreateGroup', 'POST', '/Groups', groups.createGroup, 'Create a team'),
  on('scimReplaceGroup', 'PUT', '/Groups/{id}', groups.replaceGroup, 'Replace a team and its members'),
  on('scimPatchGroup', 'PATCH', '/Groups/{id}', groups.patchGroup, 'Change a team and its members'),
  on('scimDeleteGroup', 'DELETE', '/Groups/{id}', groups.deleteGroup, 'Delete a team'),
];

export const scimEndpoints: readonly ScimEndpoint[] = [
  on(
    'scimGetServiceProviderConfig',
    'GET',
    '/ServiceProviderConfig',
    discovery.getServiceProviderConfig,
    'What is implemented',
  ),
  on('scimGetResourceTypes', 'GET', '/ResourceTypes', discovery.getResourceTypes, 'User and Group'),
  on('scimGetResourceType', 'GET', '/ResourceTypes/{id}', discovery.getResourceType, 'One resource type'),
  on('scimGetSchemas', 'GET', '/Schemas', discovery.getSchemas, 'Every attribute that is implemented'),
  on('scimGetSchema', 'GET', '/Schemas/{id}', discovery.getSchema, 'One schema'),
  on('scimGetMe', 'GET', '/Me', discovery.getMe, 'Not for secrets: 501'),
  on('scimGetUsers', 'GET', '/Users', lists.getUsers, 'List people'),
  on('scimSearchUsers', 'POST', '/Users/.search', lists.searchUsers, 'List people, with the query in the body'),
  on('scimGetUser', 'GET', '/Users/{id}', users.getUser, 'Read a person'),
  on('scimGetGroups', 'GET', '/Groups', lists.getGroups, 'List teams'),
  on('scimSearchGroups', 'POST', '/Groups/.search', lists.searchGroups, 'List teams, with the query in the body'),
  on('scimGetGroup', 'GET', '/Groups/{id}', groups.getGroup, 'Read a team'),
  on('scimGetEverything', 'GET', '/', lists.getEverything, 'List people and teams'),
  on(
    'scimSearchEverything',
    'POST',
    '/.search',
    lists.searchEverything,
    'List people and teams, with the query in the body',
  ),
  ...changes,
  on('scimBulk', 'POST', '/Bulk', bulkOf(changes), 'Many operations at once'),
];

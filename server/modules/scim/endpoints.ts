import type { Method } from '../../kernel/contract/contract.ts';
import { bulkOf } from './bulk.ts';
import type { ScimEndpoint, ScimHandler } from './call.ts';
import * as discovery from './discovery.ts';
import * as groups from './groups.ts';
import * as lists from './lists.ts';
import * as users from './users.ts';

const on = (method: Method, path: string, handler: ScimHandler, summary: string): ScimEndpoint => {
  return { method, path, handler, summary };
};

/** What changes resources, also within a bulk request. */
const changes: readonly ScimEndpoint[] = [
  on('POST', '/Users', users.createUser, 'Create a person, or bring a former one back'),
  on('PUT', '/Users/{id}', users.replaceUser, 'Replace a person'),
  on('PATCH', '/Users/{id}', users.patchUser, 'Change a person'),
  on('DELETE', '/Users/{id}', users.deleteUser, 'Deactivate a person'),
  on('POST', '/Groups', groups.createGroup, 'Create a team'),
  on('PUT', '/Groups/{id}', groups.replaceGroup, 'Replace a team and its members'),
  on('PATCH', '/Groups/{id}', groups.patchGroup, 'Change a team and its members'),
  on('DELETE', '/Groups/{id}', groups.deleteGroup, 'Delete a team'),
];

export const scimEndpoints: readonly ScimEndpoint[] = [
  on('GET', '/ServiceProviderConfig', discovery.getServiceProviderConfig, 'What is implemented'),
  on('GET', '/ResourceTypes', discovery.getResourceTypes, 'User and Group'),
  on('GET', '/ResourceTypes/{id}', discovery.getResourceType, 'One resource type'),
  on('GET', '/Schemas', discovery.getSchemas, 'Every attribute that is implemented'),
  on('GET', '/Schemas/{id}', discovery.getSchema, 'One schema'),
  on('GET', '/Me', discovery.getMe, 'Not for secrets: 501'),
  on('GET', '/Users', lists.getUsers, 'List people'),
  on('POST', '/Users/.search', lists.searchUsers, 'List people, with the query in the body'),
  on('GET', '/Users/{id}', users.getUser, 'Read a person'),
  on('GET', '/Groups', lists.getGroups, 'List teams'),
  on('POST', '/Groups/.search', lists.searchGroups, 'List teams, with the query in the body'),
  on('GET', '/Groups/{id}', groups.getGroup, 'Read a team'),
  on('GET', '/', lists.getEverything, 'List people and teams'),
  on('POST', '/.search', lists.searchEverything, 'List people and teams, with the query in the body'),
  ...changes,
  on('POST', '/Bulk', bulkOf(changes), 'Many operations at once'),
];

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';

const atrium = await startAtrium();
const scim = scimOf(atrium);
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

test('smoke', async () => {
  const made = await scim('POST', '/Users', {
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'zoe@northwind.example',
      externalId: 'Z-1',
      name: { givenName: 'Zoë', familyName: 'Q' },
      active: 'True',
      title: 'Engineer',
      emails: [{ type: 'work', value: 'zoe@northwind.example', primary: true }],
      [ENTERPRISE]: { department: 'Engineering', manager: { value: 'E-1001' } },
    },
  });
  console.log(made.status, JSON.stringify(made.body, null, 1));
  console.log((await scim('GET', '/Users?filter=userName eq "ZOE@northwind.example"')).body);
  console.log(
    (await scim('PATCH', `/Users/${made.body.id}`, { body: { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] } })).body,
  );
  console.log((await atrium.call('GET', '/v1/admin/provisioning/requests')).body.data[0]);
  console.log((await atrium.call('GET', '/v1/admin/provisioning/receipts')).body.data[0]);
});

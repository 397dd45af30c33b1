import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOrganisation } from '../../setup.ts';
import { startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const replace = (fields: object) =>
  atrium.call('PUT', '/v1/admin/organisation', { json: { name: 'Northwind Retail', ...fields } });
const permalink = async () => (await atrium.call('GET', '/v1/users?take=1')).body.data[0].permalink as string;

test('the domain can be changed, and every address begins with it; one that is left out is kept', async () => {
  for (const [domain, address] of [
    ['intranet.northwind.example', 'https://intranet.northwind.example'],
    ['Intranet.Northwind.example:8443', 'https://intranet.northwind.example:8443'],
    ['http://10.0.0.5:4000', 'http://10.0.0.5:4000'],
    ['localhost:4000', 'http://localhost:4000'],
  ] as const) {
    const { status, body } = await replace({ domain });
    assert.deepEqual([status, body.data.api_base_url], [200, address]);
    assert.equal(body.data.scim_base_urls.direct, `${address}/scim/v2/scim`);
    assert.ok((await permalink()).startsWith(`${address}/`));
  }
  const kept = await replace({});
  assert.deepEqual([kept.status, kept.body.data.domain], [200, 'localhost:4000']);
});

test('a domain that is none, or that another organisation has, is refused and changes nothing', async () => {
  await createOrganisation(atrium.services.db, { name: 'Contoso', domain: 'contoso.example' });
  const before = await permalink();
  for (const domain of [
    'no host',
    'intranet.example.com/path',
    'ftp://intranet.example.com',
    '-a.example',
    'a..b',
    '',
  ]) {
    const { status, body } = await replace({ name: 'Changed', domain });
    assert.deepEqual([status, body.meta.errors[0].path], [400, 'domain'], domain);
  }
  const taken = await replace({ name: 'Changed', domain: 'contoso.example' });
  assert.deepEqual([taken.status, taken.body.code], [409, 'domain_taken']);
  assert.equal(await permalink(), before);
  assert.equal((await atrium.call('GET', '/v1/admin/organisation')).body.data.name, 'Northwind Retail');
});

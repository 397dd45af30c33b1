// Drafts: a person's own, on all devices, and never overwritten unseen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { DRAFTS_MAX } from './contract.ts';

const atrium = await startAtrium();
const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
const phone = await signIn(atrium, 'emi.tanaka@northwind.example');
const dmitri = await signIn(atrium, 'dmitri.petrov@northwind.example');
const put = (call: typeof atrium.call, key: string, text: string, version?: number) =>
  call('PUT', `/v1/drafts/${key}`, { json: { fields: { text }, version } });

test('what one device keeps, another reads; of two that write, one is told what the other wrote', async () => {
  const first = await put(emi.call, 'update', 'At my desk');
  assert.deepEqual([first.status, first.body.data.version], [200, 1]);
  const { version, fields } = (await phone.call('GET', '/v1/drafts/update')).body.data;
  assert.deepEqual([version, fields], [1, { text: 'At my desk' }]);
  assert.equal((await put(phone.call, 'update', 'On the way', version)).body.data.version, 2);
  for (const known of [undefined, 1]) {
    const late = await put(emi.call, 'update', 'Still at my desk', known);
    assert.deepEqual([late.status, late.body.code], [409, 'draft_changed']);
    assert.deepEqual([late.body.meta.draft.fields, late.body.meta.draft.version], [{ text: 'On the way' }, 2]);
  }
  assert.equal((await put(emi.call, 'update', 'Both', 2)).body.data.version, 3);
});

test('of many writes at once that know the same version exactly one is kept', async () => {
  const { version } = (await put(emi.call, 'race', 'Before')).body.data;
  const writes = await Promise.all(['a', 'b', 'c', 'd'].map((text) => put(emi.call, 'race', text, version)));
  assert.deepEqual(writes.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  const winner = writes.find(({ status }) => status === 200)?.body.data;
  assert.deepEqual((await emi.call('GET', '/v1/drafts/race')).body.data, winner);
});

test('a draft is forgotten once it is sent, and what was kept of it elsewhere can be kept anew', async () => {
  await put(emi.call, 'sent', 'x');
  assert.equal((await emi.call('DELETE', '/v1/drafts/sent')).status, 200);
  assert.equal((await emi.call('GET', '/v1/drafts/sent')).status, 404);
  assert.equal((await emi.call('DELETE', '/v1/drafts/sent')).status, 200);
  assert.equal((await put(phone.call, 'sent', 'Not sent yet', 7)).body.data.version, 1);
});

test('nobody reads, changes or lists what others have begun, and an app has none', async () => {
  await put(emi.call, 'own', 'Mine');
  assert.equal((await dmitri.call('GET', '/v1/drafts/own')).status, 404);
  await put(dmitri.call, 'own', 'His');
  await dmitri.call('DELETE', '/v1/drafts/own');
  const { body } = await emi.call('GET', '/v1/drafts?take=100');
  assert.deepEqual(body.data.find(({ key }: { key: string }) => key === 'own').fields, { text: 'Mine' });
  assert.deepEqual((await dmitri.call('GET', '/v1/drafts')).body.data, []);
  assert.equal((await atrium.call('GET', '/v1/drafts')).status, 403);
});

test('there are so many drafts, and one that is there can always be changed', async () => {
  await atrium.rows(
    `insert into drafts (organisation_id, user_id, key, fields, version, updated_at)
     select 1, $1, 'n' || g, '{}', 1, now() from generate_series(1, $2::integer) g`,
    [dmitri.user.id, DRAFTS_MAX],
  );
  const refused = await put(dmitri.call, 'more', 'x');
  assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_drafts']);
  assert.equal((await put(dmitri.call, 'n1', 'x', 1)).status, 200);
});

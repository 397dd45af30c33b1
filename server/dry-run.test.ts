// What a dry run says of one request; server/sweep.test.ts tries every write.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from './testing/atrium.ts';

const atrium = await startAtrium();
const tryOut = (method: string, path: string, json: object = {}) =>
  atrium.call(method, path, { json, headers: { 'x-dry-run': '1' } });

test('a PUT says what would change, what it would clear, and who would be told; then nothing has changed', async () => {
  const read = async () => (await atrium.call('GET', '/v1/pages/1')).body.data;
  const written = { title: 'Welcome', html_content: '<p>Hello</p>', subtitle: 'For everybody', summary: 'Short' };
  await atrium.call('PUT', '/v1/pages/1', { json: written });
  const webhook = await atrium.call('POST', '/v1/admin/webhooks', {
    json: { name: 'Search', url: 'https://hooks.example.com/a', events: ['page.updated'], content_scope: 'all' },
  });
  const before = await read();
  const { subtitle, ...left } = written;
  const { status, body } = await tryOut('PUT', '/v1/pages/1', { ...left, title: 'Welcome back' });
  assert.deepEqual([status, body.data.title, body.data.subtitle], [200, 'Welcome back', '']);
  const { changes, cleared, events } = body.meta.dry_run;
  assert.deepEqual(
    changes.filter(({ path }: { path: string }) => ['title', 'subtitle'].includes(path)),
    [
      { path: 'title', before: 'Welcome', after: 'Welcome back' },
      { path: 'subtitle', before: subtitle, after: '' },
    ],
  );
  assert.deepEqual(cleared, ['subtitle']);
  assert.deepEqual(
    [events.length, events[0].action, events[0].payload.page.title],
    [1, 'page.updated', 'Welcome back'],
  );
  assert.ok(events[0].told.some((one: { webhook_id: number }) => one.webhook_id === webhook.body.data.id));
  assert.deepEqual(await read(), before);
});

test('what would be refused is refused, and a delete that is tried keeps nobody from deleting', async () => {
  assert.equal((await tryOut('POST', '/v1/pages', { title: '' })).status, 400);
  assert.equal((await tryOut('PUT', '/v1/pages/987654', { title: 'x', html_content: 'x' })).status, 404);
  const { id } = (await atrium.call('POST', '/v1/pages', { json: { title: 'T', html_content: '' } })).body.data;
  const tried = await Promise.all([1, 2, 3].map(() => tryOut('DELETE', `/v1/pages/${id}`)));
  assert.deepEqual(
    tried.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await atrium.call('DELETE', `/v1/pages/${id}`)).status, 200);
});

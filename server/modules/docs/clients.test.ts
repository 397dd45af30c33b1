// A client that a public generator makes from the document calls a real server, as it was made.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { generateClient } from '../../../tools/clients.ts';
import { startAtrium, world } from '../../testing/atrium.ts';

// biome-ignore lint/suspicious/noExplicitAny: it is generated when the test runs; `npm run check` compiles it.
type Generated = any;
const atrium = await startAtrium();
const folder = mkdtempSync(join(tmpdir(), 'atrium-client-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
const document = join(folder, 'openapi.json');
writeFileSync(document, await (await fetch(`${atrium.url}/openapi.json`)).text());
await generateClient(document, join(folder, 'client'));
const load = (name: string): Promise<Generated> => import(pathToFileURL(join(folder, 'client', name)).href);
const { client } = await load('client.gen.ts');
const sdk = await load('sdk.gen.ts');
client.setConfig({
  baseUrl: atrium.url,
  headers: {
    authorization: `Bearer ${world.northwind.api_key}`,
    'service-id': String(world.northwind.organisation_id),
  },
});
const audience = { type: 'spaces', spaces: [1] };
const png = new Blob([
  await sharp({ create: { width: 8, height: 8, channels: 3, background: '#36c' } })
    .png()
    .toBuffer(),
]);

describe('a generated client', () => {
  test('posts an update with an audience and a file, reads it and finds it in a list', async () => {
    const posted = await sdk.createUpdate({ body: { text: 'Made by a generator', audience, gallery: [png] } });
    assert.equal(posted.response.status, 201, JSON.stringify(posted.error));
    const { id } = posted.data.data;
    const read = await sdk.getUpdate({ path: { id } });
    assert.deepEqual(
      read.data.data.audience.spaces.map((space: { id: number }) => space.id),
      [1],
    );
    assert.equal(read.data.data.gallery.length, 1);
    const listed = await sdk.listUpdates({ query: { space_ids: ['1', '2'], take: 1 } });
    assert.deepEqual([listed.data.data[0].id, listed.data.meta.pagination.take], [id, 1]);
  });
  test('writes what is nested: recipients, lists of rules, cards', async () => {
    const recipients = { users: [4], teams: [1] };
    const thanked = await sdk.createKudos({ body: { text: 'Thank you!', recipients } });
    assert.deepEqual(
      thanked.data?.data.recipients.teams.map((team: { id: number }) => team.id),
      [1],
    );
    const ruled = await sdk.putDefaultRules({ path: { id: 1 }, body: { rules: [{ team_ids: [1] }] } });
    assert.deepEqual(
      ruled.data?.data.rules.map((rule: { team_ids: number[] }) => rule.team_ids),
      [[1]],
    );
  });
  test('gets refusals with a code of the operation and the name of the field', async () => {
    const taken = { text: 'Once', external_id: 'generated-1' };
    await sdk.createUpdate({ body: taken });
    const refused = await sdk.createUpdate({ body: taken });
    assert.deepEqual([refused.response.status, refused.error.code], [409, 'external_id_taken']);
    const broken = await sdk.createGoal({ body: { title: '' } });
    assert.deepEqual([broken.error.code, broken.error.meta.errors[0].path], ['invalid_request', 'title']);
  });
});

describe('JSON in a form', () => {
  const postForm = (audience: Blob | string) => {
    const form = new FormData();
    form.append('text', 'Nested as JSON');
    form.append('audience', audience);
    return atrium.call('POST', '/v1/updates', { form });
  };
  test('is read from a part of its type, as browsers write it, and from plain text', async () => {
    for (const part of [new Blob([JSON.stringify(audience)], { type: 'application/json' }), JSON.stringify(audience)]) {
      const { status, body } = await postForm(part);
      assert.deepEqual([status, body.data.audience.type, body.data.audience.spaces[0].id], [201, 'spaces', 1]);
    }
  });
  test('that cannot be read is a 400 with the name of its field', async () => {
    for (const part of [new Blob(['{"type":'], { type: 'application/json' }), '{"type":']) {
      const { status, body } = await postForm(part);
      assert.deepEqual([status, body.meta.errors[0].path], [400, 'audience']);
    }
  });
});

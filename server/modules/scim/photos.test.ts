import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { startReceiver } from '../../testing/receiver.ts';
import { scimOf } from '../../testing/scim.ts';

const atrium = await startAtrium({ env: 'development' });
const scim = scimOf(atrium);
const receiver = await startReceiver();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const photos = (path: string) => [{ type: 'photo', value: new URL(path, receiver.url).href, primary: true }];
const avatar = async (id: string) => (await atrium.call('GET', `/v1/users/${id}`)).body.data.avatar_url as string;
const shown = async (url: string) => Buffer.from(await (await fetch(atrium.url + new URL(url).pathname)).arrayBuffer());
const fetched = () => receiver.received.map(({ path }) => path);

test('the photo that the provider names becomes the profile photo, once, and a new one replaces it', async () => {
  receiver.answer = (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  const { body } = await scim('POST', '/Users', {
    body: { userName: 'face@northwind.example', photos: photos('/one.png') },
  });
  assert.match(await avatar(body.id), /initials/);
  await atrium.drain();
  const first = await avatar(body.id);
  assert.deepEqual(await shown(first), PNG);
  await scim('PUT', `/Users/${body.id}`, { body });
  await atrium.drain();
  assert.deepEqual(fetched(), ['/one.png']);
  await scim('PATCH', `/Users/${body.id}`, {
    body: { Operations: [{ op: 'replace', path: 'photos', value: photos('/two.png') }] },
  });
  await atrium.drain();
  assert.deepEqual(fetched(), ['/one.png', '/two.png']);
  assert.notEqual(await avatar(body.id), first);
});

test(`what is no picture changes nothing, a server that is away is asked again, \
and a leaver’s photo is not fetched`, async () => {
  const create = async (name: string) =>
    (await scim('POST', '/Users', { body: { userName: `${name}@northwind.example`, photos: photos(`/${name}.png`) } }))
      .body.id as string;
  receiver.answer = (response) => void response.writeHead(200).end('<html>');
  const [page, later] = [await create('page'), await create('later')];
  receiver.answer = (response, { path }) => void response.writeHead(path === '/later.png' ? 503 : 200).end('<html>');
  await atrium.drain();
  receiver.answer = (response) => void response.writeHead(200).end(PNG);
  atrium.clock.advance(120_000);
  await atrium.drain();
  assert.match(await avatar(page), /initials/);
  assert.doesNotMatch(await avatar(later), /initials/);
  const gone = await create('gone');
  await scim('DELETE', `/Users/${gone}`);
  await atrium.drain();
  assert.ok(!fetched().includes('/gone.png'));
});

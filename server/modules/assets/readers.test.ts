import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { type Call, signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const at = (url: string) => atrium.url + url.slice(url.indexOf('/', 'https://'.length));
const open = async (url: string) => (await fetch(at(url))).status;
const png = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#aa3300' } })
  .png()
  .toBuffer();
const person = (name: string) => signIn(atrium, `${name}@northwind.example`);
const [ben, dmitri] = [await person('ben.lindqvist'), await person('dmitri.petrov')];
const spaceId = async (external_id: string) =>
  (await atrium.call('GET', `/v1/spaces/by-external-id/${external_id}`)).body.data.id as number;
const [berlin, news, board] = await Promise.all(['S-SALES-BERLIN', 'S-NEWS', 'S-BOARD'].map(spaceId));

const posted = async (fields: Record<string, string>, file: string, path: string, call: Call = atrium.call) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(file, new Blob([new Uint8Array(png)]), 'a.png');
  const { status, body } = await call('POST', path, { form });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
};

test('an address that a person was shown names its reader, ends with their access and comes back with it', async () => {
  const { id, gallery } = await posted({ title: 'Harbour', html_content: '<p>x</p>' }, 'gallery[0]', '/v1/articles');
  const shown = async (call: Call) => (await call('GET', `/v1/articles/${id}`)).body.data.gallery[0];
  const { url, thumbnail_url } = await shown(dmitri.call);
  assert.ok(url.includes(`&reader=${dmitri.user.id}&`));
  for (const address of [url, thumbnail_url]) assert.equal(await open(address), 200);
  const ofApp = (await shown(atrium.call)).url;
  assert.equal(ofApp, gallery[0].url);
  const other = url.replace(/reader=\d+/, `reader=${ben.user.id}`);
  for (const forged of [other, url.replace(/reader=\d+&/, ''), url.replace(/reader=\d+/, 'reader='), `${url}0`])
    assert.equal(await open(forged), 404, forged);
  const setActive = (isActive: boolean) =>
    atrium.rows('update users set is_active = $1 where id = $2', [isActive, dmitri.user.id]);
  await setActive(false);
  assert.deepEqual([await open(url), await open(thumbnail_url), await open(ofApp)], [404, 404, 200]);
  await setActive(true);
  assert.equal(await open(url), 200);
});

test('it ends when its reader leaves the space, or the content goes where they do not see it', async () => {
  const audience = { 'audience[type]': 'spaces', 'audience[spaces][0]': String(berlin) };
  const html = { title: 'Berlin', html_content: '<p>x</p>' };
  const { id } = await posted({ ...html, ...audience }, 'attachments[0]', '/v1/articles');
  const { url } = (await dmitri.call('GET', `/v1/articles/${id}`)).body.data.attachments[0];
  const members = (json: object) => ben.call('PATCH', `/v1/spaces/${berlin}/users`, { json });
  const replace = (json: object) => atrium.call('PUT', `/v1/articles/${id}`, { json: { ...html, ...json } });
  const steps: [step: () => Promise<{ status: number }>, then: number][] = [
    [() => members({ ids_to_remove: [dmitri.user.id] }), 404],
    [() => members({ ids_to_add: [dmitri.user.id] }), 200],
    [() => replace({ audience: { type: 'spaces', spaces: [board] } }), 404],
    [() => replace({ audience: { type: 'spaces', spaces: [news] } }), 200],
    [() => atrium.call('DELETE', `/v1/articles/${id}?permanent=1`), 404],
  ];
  for (const [step, then] of steps) {
    assert.equal((await step()).status, 200);
    assert.equal(await open(url), then, String(step));
  }
});

test('so do those of documents, of messages and of what is in HTML; one’s own files stay', async () => {
  const document = await posted({ label: 'Plan', space_id: String(berlin) }, 'file', '/v1/documents');
  const { url } = (await dmitri.call('GET', `/v1/documents/${document.id}`)).body.data.document;
  const group = { type: 'group', name: 'Plans', user_ids: [dmitri.user.id] };
  const { channel_url } = (await ben.call('POST', '/v1/chat/channels', { json: group })).body.data;
  const messages = `/v1/chat/channels/${channel_url}/messages`;
  const said = await posted({ message: 'Look' }, 'files[0]', messages, ben.call);
  const sent = (await dmitri.call('GET', `${messages}?take=1`)).body.data[0].files[0].url;
  const asset = await ben.call('POST', '/v1/assets/upload-url', {
    json: { file_name: 'a.png', content_type: 'image/png', byte_size: png.length },
  });
  const { upload_url, asset_id } = asset.body.data;
  assert.equal((await fetch(at(upload_url), { method: 'PUT', body: new Uint8Array(png) })).status, 204);
  const own = (await ben.call('POST', `/v1/assets/${asset_id}/confirm`)).body.data.url;
  const page = { title: 'Map', space_id: berlin, html_content: `<img src="asset://${asset_id}">` };
  const { id } = (await ben.call('POST', '/v1/pages', { json: page })).body.data;
  const { html_content } = (await dmitri.call('GET', `/v1/pages/${id}?sign_url=1`)).body.data;
  const inline = (/src="([^"]+)/.exec(html_content)?.[1] ?? '').replaceAll('&amp;', '&');
  assert.ok(inline.includes(`&reader=${dmitri.user.id}&`), inline);
  const all = () => Promise.all([url, sent, own, inline].map(open));
  assert.deepEqual(await all(), [200, 200, 200, 200]);
  await ben.call('PATCH', `/v1/spaces/${berlin}/users`, { json: { ids_to_remove: [dmitri.user.id] } });
  await dmitri.call('PATCH', `/v1/chat/channels/${channel_url}/members`, { json: { ids_to_remove: [dmitri.user.id] } });
  assert.deepEqual(await all(), [404, 404, 200, 404]);
  assert.equal(await open(said.files[0].url), 200);
  await ben.call('DELETE', `${messages}/${said.message_id}`);
  await atrium.drain();
  assert.equal(await open(said.files[0].url), 404);
});

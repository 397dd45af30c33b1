// What pages of other origins may do, asked by hand and by a browser.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { chromium } from 'playwright-core';
import { createOrganisation } from './setup.ts';
import { signIn, startAtrium, world } from './testing/atrium.ts';
import { chromiumPath, noBrowser } from './testing/browser.ts';

const atrium = await startAtrium({ brand: 'Acme' });
const { organisation_id, api_key } = world.northwind;
const listed = 'https://portal.northwind.example';
const setOrigins = (cors_origins: string[], call = atrium.call) =>
  call('PUT', '/v1/admin/organisation', { json: { name: 'Northwind Retail', cors_origins } });
const preflight = (path: string, origin: string, method = 'PUT') =>
  atrium.call('OPTIONS', path, { key: null, headers: { origin, 'access-control-request-method': method } });
const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin');

test('no page of another origin is answered before an admin has listed it', async () => {
  assert.equal((await preflight('/v1/pages', listed)).status, 405);
  const reply = await atrium.call('GET', '/v1/pages', { headers: { origin: listed } });
  assert.deepEqual([reply.status, allowed(reply), reply.headers.get('vary')], [200, null, 'Origin, Accept-Encoding']);
  const files = await preflight('/uploads/1/1', listed);
  assert.deepEqual([files.status, files.headers.get('allow')], [405, 'PUT']);
});

test('an origin is https, exact and no pattern; a list that is refused changes nothing', async () => {
  assert.deepEqual((await setOrigins([listed, listed])).body.data.cors_origins, [listed]);
  for (const wrong of [
    ...['*', 'null', 'https://*.example.com', 'portal.example.com', 'https://portal.example.com/', 'ftp://a.example'],
    ...['https://Portal.example.com', 'https://portal.example.com:443', 'https://a@b.example', 'http://portal.example'],
    ...['https://a.example/path', 'https://a.example?x', 'http://localhost.evil.example', ''],
  ]) {
    const { status, body } = await setOrigins([listed, wrong]);
    assert.deepEqual([status, body.meta.errors[0].path], [400, 'cors_origins[1]'], wrong);
  }
  assert.equal((await setOrigins(Array.from({ length: 21 }, (_, n) => `https://a${n}.example`))).status, 400);
  const kept = await atrium.call('PUT', '/v1/admin/organisation', { json: { name: 'Northwind Retail' } });
  assert.deepEqual(kept.body.data.cors_origins, [listed]);
  assert.deepEqual((await setOrigins(['http://127.0.0.1:5173', listed])).status, 200);
});

test('plain http of this machine is for development', async () => {
  const production = await startAtrium({ env: 'production' });
  const { body } = await setOrigins(['https://a.example', 'http://localhost:5173'], production.call);
  assert.equal(body.meta.errors[0].path, 'cors_origins[1]');
});

test('a preflight says what the path takes, and a path that is none stays a 404', async () => {
  const { status, headers } = await preflight('/v1/pages/1', listed);
  assert.equal(status, 204);
  assert.equal(headers.get('access-control-allow-origin'), listed);
  assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, PUT, DELETE');
  assert.equal(headers.get('access-control-allow-credentials'), null);
  const taken = headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
  for (const name of ['authorization', 'content-type', 'service-id', 'acme-id', 'x-acme-jwt', 'if-match'])
    assert.ok(taken.includes(name), name);
  assert.equal((await preflight('/v1/nothing', listed)).status, 404);
  assert.equal((await preflight('/v1/pages/1', 'https://other.example')).status, 405);
});

test('an answer is for pages that its own organisation lists, refusals and files too', async () => {
  const { services } = atrium;
  const contoso = await createOrganisation(services.db, { name: 'Contoso', domain: 'contoso.example' });
  const of = (path: string, options: object = {}) =>
    atrium.call('GET', path, { headers: { origin: listed }, ...options });
  assert.equal(allowed(await of('/v1/pages')), listed);
  assert.equal(allowed(await of('/v1/pages/999999')), listed);
  assert.equal(allowed(await of('/v1/pages', { key: 'atr_wrong' })), listed);
  const other = await of('/v1/pages', { key: contoso.api_key, service_id: contoso.organisation_id });
  assert.deepEqual([other.status, allowed(other)], [200, null]);
  assert.equal(allowed(await of(`/files/${organisation_id}/1/original/a`)), listed);
  assert.equal(allowed(await of(`/files/${contoso.organisation_id}/1/original/a`)), null);
  assert.equal(allowed(await of('/files/x/1/original/a')), null);
});

test('a listed page signs nobody in, and a cookie of another page gives it nothing', async () => {
  const json = { email: 'ada.okafor@northwind.example', password: 'correct horse battery staple' };
  const reply = await atrium.call('POST', '/v1/sessions', { key: null, json, headers: { origin: listed } });
  assert.deepEqual([reply.status, reply.headers.get('set-cookie'), allowed(reply)], [403, null, listed]);
  const ada = await signIn(atrium, json.email);
  const read = await ada.call('GET', '/v1/sessions/current', { headers: { origin: listed } });
  assert.equal(read.headers.get('access-control-allow-credentials'), null);
});

test('a browser: a listed page reads, writes and uploads, another one does not', { skip: noBrowser }, async () => {
  const pages = [createServer(), createServer()].map((server) =>
    server.on('request', (_request, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Portal</title>'),
    ),
  );
  const urls = await Promise.all(
    pages.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  const [own = '', foreign = ''] = urls;
  await setOrigins([own]);
  let preflights = 0;
  atrium.http.server.on('request', ({ method }) => void (method === 'OPTIONS' && preflights++));
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  after(async () => {
    await browser.close();
    for (const server of pages) server.close();
  });
  const seenBy = async (url: string) => {
    const page = await browser.newPage();
    await page.goto(url);
    const script = asPage(atrium.url, api_key, organisation_id);
    const seen = await page.evaluate(script).catch(({ message }: Error) => message);
    await page.close();
    return seen;
  };
  const seen = await seenBy(own);
  assert.deepEqual(seen, {
    statuses: [200, 200, 201, 404],
    code: 'not_found',
    has_request_id: true,
    is_located: true,
    uploaded: 204,
    has_progress: true,
    is_same: true,
  });
  // The list (once for two reads), the goal, the page that is not there, the announcement, upload, confirmation.
  assert.equal(preflights, 6);
  assert.match(String(await seenBy(foreign)), /Failed to fetch/);
  const { body } = await atrium.call('GET', '/v1/goals?take=500');
  assert.equal(body.data.filter(({ title }: { title: string }) => title === 'From a browser').length, 1);
});

/** What runs in a page: the address of the API, a key and an organisation go in, what a script saw comes out. */
const asPage = (at: string, key: string, id: number) => `(async () => {
  const at = ${JSON.stringify(at)};
  const headers = { authorization: 'Bearer ${key}', 'service-id': '${id}', 'content-type': 'application/json' };
  const call = (path, method = 'GET', json = undefined) =>
    fetch(at + path, { method, headers, ...(json ? { body: JSON.stringify(json) } : {}) });
  const here = (address) => at + address.slice(new URL(address).origin.length);
  const first = await call('/v1/pages?take=1');
  const again = await call('/v1/pages?take=1');
  const made = await call('/v1/goals', 'POST', { title: 'From a browser' });
  const missing = await call('/v1/pages/999999');
  const bytes = new Uint8Array(3 * 1024 * 1024).fill(65);
  const file = { file_name: 'a.txt', content_type: 'text/plain', byte_size: bytes.length };
  const { data } = await (await call('/v1/assets/upload-url', 'POST', file)).json();
  const progress = [];
  const uploaded = await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded }) => progress.push(loaded);
    request.onload = () => resolve(request.status);
    request.onerror = () => reject(new Error('The upload failed.'));
    request.open('PUT', here(data.upload_url));
    request.setRequestHeader('content-type', 'text/plain');
    request.send(bytes);
  });
  const asset = (await (await call('/v1/assets/' + data.asset_id + '/confirm', 'POST')).json()).data;
  const read = await (await fetch(here(asset.url))).arrayBuffer();
  return {
    statuses: [first, again, made, missing].map(({ status }) => status),
    code: (await missing.json()).code,
    has_request_id: first.headers.get('x-request-id') !== null,
    is_located: made.headers.get('location')?.startsWith('/v1/goals/') === true,
    uploaded,
    has_progress: progress.at(-1) === bytes.length,
    is_same: read.byteLength === bytes.length,
  };
})()`;

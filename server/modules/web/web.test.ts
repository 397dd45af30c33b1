import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const get = (path: string, headers: Record<string, string> = {}) => fetch(atrium.url + path, { headers });
const html = { accept: 'text/html,application/xhtml+xml;q=0.9' };

test('a permalink is a page for browsers, and a JSON 404 for all else', async () => {
  for (const path of ['/', '/updates/1', '/articles/berlin-opens', '/directory/people/2', '/spaces/1/people']) {
    const page = await get(path, html);
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
    const reply = await get(path, { accept: 'application/json' });
    assert.deepEqual([reply.status, ((await reply.json()) as { code: string }).code], [404, 'not_found'], path);
  }
  for (const path of ['/v1/updates/1', '/files/1', '/nowhere'])
    assert.match((await get(path, html)).headers.get('content-type') ?? '', /json/, path);
});

test('the policy of pages lets in no script, style or frame but our own', async () => {
  const policy = (await get('/', html)).headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe/);
});

test('a page is asked for again and mostly unchanged; what it loads is kept for ever, and compressed', async () => {
  const page = await get('/', html);
  const etag = page.headers.get('etag') ?? '';
  // `fetch` adds a Cache-Control of its own.
  const unchanged = { key: null, service_id: null, headers: { ...html, 'if-none-match': etag } };
  assert.equal((await atrium.call('GET', '/', unchanged)).status, 304);
  const loaded = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.ok(loaded.length >= 2);
  for (const path of loaded) {
    const file = await get(path, { 'accept-encoding': 'br' });
    assert.deepEqual([file.status, file.headers.get('content-encoding')], [200, 'br'], path);
    assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  }
  assert.equal((await get('/assets/none.js')).status, 404);
});

test('an app begins with one call: person, organisation and what the person may do', async () => {
  const { call, csrf } = await signIn(atrium, 'emi.tanaka@northwind.example');
  const { status, body } = await call('GET', '/v1/session');
  assert.equal(status, 200);
  assert.deepEqual([body.data.user.name, body.data.organisation.name], ['Emi Tanaka', 'Northwind Retail']);
  assert.equal(body.data.csrf_token, csrf);
  assert.ok(body.data.can.includes('updates.*.write'));
  assert.equal((await atrium.call('GET', '/v1/session', { key: null })).status, 401);
});

test('a page that is opened by another name of this machine moves to the one that its organisation has', async () => {
  const { port } = new URL(atrium.url);
  const named = (domain: string) =>
    atrium.rows('update organisations set domain = $1, web_url = $2 where id = 1', [domain, `http://${domain}`]);
  const open = (path: string) => fetch(atrium.url + path, { headers: html, redirect: 'manual' });
  await named(`localhost:${port}`);
  const moved = await open('/updates/1?from=mail');
  assert.deepEqual(
    [moved.status, moved.headers.get('location')],
    [302, `http://localhost:${port}/updates/1?from=mail`],
  );
  assert.equal((await atrium.call('GET', '/v1/updates/1')).status, 200);
  await named(`127.0.0.1:${port}`);
  assert.equal((await open('/updates/1')).status, 200);
});

test('what somebody may change is what the server then lets them change', async () => {
  await atrium.rows(`update space_members set role = 'pages_editor' where user_id = 5 and space_id = 1`);
  const rightsOf = async (name: string, query: string) => {
    const { call } = await signIn(atrium, `${name}@northwind.example`);
    return (await call('GET', `/v1/session/rights?${query}`)).body.data;
  };
  const all = ['write_articles', 'write_pages', 'write_documents'];
  assert.deepEqual((await rightsOf('ada.okafor', 'type=organisation')).can, all);
  const { can, spaces } = await rightsOf('emi.tanaka', 'type=organisation');
  assert.deepEqual([can, spaces], [[], [{ id: 1, name: spaces[0].name, can: ['write_pages'] }]]);
  assert.deepEqual((await rightsOf('emi.tanaka', 'type=space&id=1')).can, ['write_pages']);
  assert.deepEqual((await rightsOf('emi.tanaka', 'type=page&id=1')).can, ['edit']);
  assert.deepEqual((await rightsOf('emi.tanaka', 'type=article&id=1')).can, []);
  const { call, csrf } = await signIn(atrium, 'emi.tanaka@northwind.example');
  const options = { headers: { 'x-csrf-token': csrf } };
  const page = { title: 'A page', html_content: '<p>Text</p>' };
  assert.equal((await call('POST', '/v1/pages', { ...options, json: { ...page, space_id: 1 } })).status, 201);
  assert.equal((await call('POST', '/v1/pages', { ...options, json: page })).status, 403);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startAtrium, world } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';

const atrium = await startAtrium({ env: 'development', mcp: 'on' });
const SERVICE_ID = world.northwind.organisation_id;
/** Examples run from a copy of the repository as it stands. */
const root = join(import.meta.dirname, '../../..');
const guides = join(root, 'docs/guides');
/** Each of the printed requests that an API key makes. */
const examples = readdirSync(guides)
  .sort((a, b) => Number(b === 'integrators.md') - Number(a === 'integrators.md') || a.localeCompare(b))
  .flatMap((name) =>
    [...readFileSync(join(guides, name), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
      .flatMap(([, text = '']) => text.split(/^(?=curl )/m))
      .filter((text) => text.includes('$API_KEY'))
      .map((text) => ({ name, text })),
  );
describe('the guides', () => {
  for (const { name, text } of examples) {
    test(`${name} works as printed: ${text.slice(0, 90).replaceAll('\n', ' ')}`, async () => {
      const [bot] = await atrium.rows<{ bot_userid: string }>(
        'select bot_userid from bots where organisation_id = $1 and bot_callback_url is not null order by id',
        [SERVICE_ID],
      );
      const env = {
        ...process.env,
        SERVICE_ID: String(SERVICE_ID),
        API_KEY: world.northwind.api_key,
        BOT_USERID: bot?.bot_userid,
      };
      const command = text.replaceAll('http://127.0.0.1:4000', atrium.url);
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env, cwd: root });
      const { status, result } = JSON.parse(stdout);
      assert.ok(status === 'success' || result, stdout);
    });
  }
  test('have examples', () => assert.ok(examples.length >= 15, String(examples.length)));
});

describe('/docs/guides', () => {
  const page = async (path: string) => {
    const response = await fetch(atrium.url + path);
    return { response, html: await response.text() };
  };
  test('shows every guide, with no link that leads nowhere', async () => {
    const { html: list } = await page('/docs/guides');
    const names = readdirSync(guides).map((name) => name.replace('.md', ''));
    const pages = new Map(
      await Promise.all(names.map(async (name) => [name, (await page(`/docs/guides/${name}`)).html] as const)),
    );
    for (const [name, html] of pages) {
      assert.ok(list.includes(`href="/docs/guides/${name}"`), name);
      assert.match(html, /<h1 id="[\w-]+">/);
      assert.doesNotMatch(html, /127\.0\.0\.1:4000\/v1/, `${name} names this server`);
      for (const [, to = '', anchor] of html.matchAll(/href="\/docs\/guides\/([\w-]+)(?:#([\w-]+))?"/g))
        assert.ok(pages.get(to)?.includes(anchor ? `id="${anchor}"` : '<h1'), `${name} links ${to}#${anchor}`);
      assert.doesNotMatch(html, /href="(?!https?:|\/|#)/, `${name} links a file of the repository`);
    }
  });
  test('finds chapters by words, begun or mistyped ones too, and says when there is none', async () => {
    const first = async (words: string) =>
      /<ol><li><a href="([^"]+)"/.exec((await page(`/docs/guides?q=${encodeURIComponent(words)}`)).html)?.[1];
    assert.equal(await first('webhook attempts'), '/docs/guides/webhooks#attempts');
    assert.equal(await first('upload fil'), '/docs/guides/files#files');
    assert.match((await first('webhok signatur')) ?? '', /webhooks/);
    assert.match((await page('/docs/guides?q=%22%3E%3Cscript%3Ezzqy')).html, /No chapter has these words/);
    assert.doesNotMatch((await page('/docs/guides?q=%22%3E%3Cscript%3Ezzqy')).html, /<script/);
    assert.equal((await page('/docs/guides/nothing')).response.status, 404);
  });
});

test('credentials.md: a passcode is issued to openssl and curl, and signs in', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'till' }] };
  const json = { jwks, scopes: ['users.passcodes.write'] };
  assert.equal((await atrium.call('PUT', '/v1/admin/apps/1/jwt-settings', { json })).status, 200);
  const EMAIL = 'lost.password@northwind.example';
  const provisioned = { userName: EMAIL, authMode: 'password', allowOtpPasswordReset: true };
  assert.equal((await scimOf(atrium)('POST', '/Users', { body: provisioned })).status, 201);
  const folder = mkdtempSync(join(tmpdir(), 'atrium-key-'));
  const KEY_FILE = join(folder, 'app.pem');
  writeFileSync(KEY_FILE, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const [issue = '', signIn = ''] = [
    ...readFileSync(join(guides, 'credentials.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g),
  ]
    .map(([, text = '']) => text.replaceAll('http://127.0.0.1:4000', atrium.url))
    .filter((text) => text.includes('$EMAIL'));
  const names = { SERVICE_ID: String(SERVICE_ID), APP_ID: '1', KEY_ID: 'till', KEY_FILE, EMAIL };
  const printed = async (command: string, more = {}) => {
    const env = { ...process.env, ...names, ...more };
    return JSON.parse((await promisify(execFile)('sh', ['-c', command], { env })).stdout);
  };
  try {
    const { one_time_passcode: PASSCODE } = (await printed(issue)).data;
    const { data } = await printed(signIn, { PASSCODE, NEW_PASSWORD: 'a password that is new' });
    assert.deepEqual([data.user.email, data.user.has_logged_in], [EMAIL, true]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('the API document', async () => {
  const { body: document } = await atrium.call('GET', '/openapi.json', { key: null });
  const operations = Object.values(document.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
    ({ parameters: _, ...methods }) => Object.values(methods),
  );

  test('every operation has an id of its own, summary, description, scope or its absence, and its errors', () => {
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    for (const { operationId, summary, description, responses, ...operation } of operations) {
      assert.ok(summary && description && responses, String(operationId));
      assert.ok(operation['x-scope'] || operation.security, String(operationId));
    }
  });
  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    assert.ok(references.length > 1000);
    for (const [, kind = '', name = ''] of references) assert.ok(document.components[kind][name], `${kind}/${name}`);
  });
  test('what is called title, or like another keyword, is a field where fields are', () => {
    const schemas = Object.entries(document.components.schemas as Record<string, { properties?: object }>);
    const fields = schemas.flatMap(([, { properties = {} }]) => Object.entries(properties));
    assert.ok(fields.filter(([name]) => name === 'title').length > 10);
    for (const [name, field] of fields) assert.equal(typeof field, 'object', name);
    assert.ok(!JSON.stringify(document).includes('[object'));
  });
  test('paging is offered, not demanded', () => {
    for (const name of ['Skip', 'Take']) assert.ok(!document.components.parameters[name].required, name);
  });
  test('every operation lists the codes of its 400, and of whatever else it refuses', () => {
    for (const { operationId, responses } of operations) {
      if (String(operationId).startsWith('scim')) continue;
      const failures = Object.entries(responses as Record<string, { $ref: string }>).filter(([key]) => key >= '4');
      assert.ok(failures.some(([status]) => status === '400'));
      for (const [status, { $ref }] of failures) {
        const response = document.components.responses[$ref.split('/').at(-1) ?? ''];
        const [, { properties }] = response.content['application/json'].schema.allOf;
        assert.ok(properties.code.enum.length > 0, `${operationId} ${status}`);
      }
    }
  });
  test('tags are named once, SCIM is in it, and it is small enough to read', () => {
    const tags = document.tags.map(({ name }: { name: string }) => name);
    assert.equal(new Set(tags).size, tags.length);
    assert.ok(document.paths['/scim/v2/scim/Users/{id}'].patch);
    const bytes = JSON.stringify(document).length / operations.length;
    // 600 KiB were asked for when there were 362 operations.
    assert.ok(bytes <= 1690, `${bytes} bytes an operation`);
  });
  test('every event is in its webhooks with a payload', () => {
    for (const operation of operations) {
      for (const action of (operation['x-emits'] as string[] | undefined) ?? [])
        assert.ok(document.webhooks[action], `${operation.operationId}: ${action}`);
    }
  });
  test('the reference page and what it loads come from this server', async () => {
    const page = await fetch(`${atrium.url}/docs/`);
    const html = await page.text();
    assert.equal(page.status, 200);
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    assert.ok(assets.length > 3);
    for (const address of assets)
      assert.equal((await fetch(new URL(address, `${atrium.url}/docs/`))).status, 200, address);
    assert.ok(assets.every((address) => !/^(https?:)?\/\//.test(address)));
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'self';/);
    assert.ok(!/upgrade-insecure-requests|https?:|\w\.\w/.test(policy), policy);
  });
});

describe('what the page tries', async () => {
  const { components } = (await atrium.call('GET', '/docs/json', { key: null })).body;
  type Body = { content: Record<string, { example?: Record<string, unknown> }> };
  test('is the example of the contract, as JSON, but where there are files', () => {
    for (const [name, { content }] of Object.entries<Body>(components.requestBodies)) {
      const [[type, { example = {} }] = ['', {}]] = Object.entries(content);
      const hasFile = Object.values(example).some((value) => String(value).startsWith('file:'));
      assert.equal(type, name.startsWith('Scim') ? type : hasFile ? 'multipart/form-data' : 'application/json', name);
    }
  });
  test('is done when nothing is changed', async () => {
    const { CreateUpdateBody, CreateCampaignBody } = components.requestBodies;
    for (const [path, body] of [
      ['/v1/updates', CreateUpdateBody],
      ['/v1/campaigns', CreateCampaignBody],
    ] as const)
      assert.equal((await atrium.call('POST', path, { json: body.content['application/json'].example })).status, 201);
  });
});

describe('health', () => {
  test('the process, its readiness and its metrics can be asked without a credential', async () => {
    const elsewhere: Record<string, string>[] = [{ 'x-forwarded-for': '127.0.0.1' }, { host: 'atrium.example' }];
    for (const headers of elsewhere)
      assert.equal((await atrium.call('GET', '/metrics', { key: null, headers })).status, 404);
    assert.deepEqual((await atrium.call('GET', '/healthz', { key: null })).body, { status: 'ok' });
    assert.deepEqual((await atrium.call('GET', '/readyz', { key: null })).body, {
      status: 'ready',
      checks: { database: 'ok', migrations: 'ok', secret_key: 'ok', storage: 'ok' },
    });
    await atrium.call('GET', '/v1/users');
    const { body } = await atrium.call('GET', '/metrics', { key: null });
    assert.match(
      body,
      /atrium_http_request_duration_seconds_count\{method="GET",route="\/v1\/users",status="200"\} \d/,
    );
    assert.match(body, /process_resident_memory_bytes \d/);
  });
  test('another secret key than the installation has, or other files, make it not ready', async () => {
    await atrium.rows(`insert into installation (secret_key_fingerprint, storage_key) values ('other', 'elsewhere')`);
    const { status, body } = await atrium.call('GET', '/readyz', { key: null });
    assert.deepEqual([status, body.status], [503, 'not_ready']);
    assert.deepEqual([body.checks.secret_key, body.checks.storage], ['differs', 'missing']);
    await atrium.rows('delete from installation');
  });
  test('a bucket that is away is named, also to who uploads; without NATS a node serves, but less well', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const away = await startAtrium({ nats_url: '127.0.0.1:1', s3_bucket: 'files', s3_endpoint: nowhere });
    const ready = await away.call('GET', '/readyz', { key: null });
    assert.deepEqual(
      [ready.status, ready.body.checks.storage, ready.body.checks.nats],
      [503, 'unreachable', 'unreachable'],
    );
    const form = new FormData();
    form.append('text', 'x');
    form.append('attachments[0]', new Blob(['a file']), 'a.txt');
    const reply = await away.call('POST', '/v1/updates', { form });
    assert.deepEqual([reply.status, reply.body.code], [503, 'unavailable']);
    assert.match(reply.body.message, /storage of files does not answer/);
    assert.doesNotMatch(reply.body.message, /database/);
    const apart = await startAtrium({ nats_url: '127.0.0.1:1' });
    const degraded = await apart.call('GET', '/readyz', { key: null });
    assert.deepEqual([degraded.status, degraded.body.status], [200, 'degraded']);
  });
  test('a migration that is not applied makes it not ready', async () => {
    const [last] = await atrium.rows<{ version: number; name: string; checksum: string }>(
      'delete from schema_migrations where version = (select max(version) from schema_migrations) returning *',
    );
    const reply = await atrium.call('GET', '/readyz', { key: null });
    assert.deepEqual([reply.status, reply.body.checks.migrations], [503, 'pending']);
    await atrium.rows('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      last?.version,
      last?.name,
      last?.checksum,
    ]);
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startAtrium, world } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/integrators.md'), 'utf8');
const examples = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);

describe('the integrators’ guide', () => {
  for (const example of examples) {
    test(`works as printed: ${example.slice(0, 70).replaceAll('\n', ' ')}`, async () => {
      const env = { ...process.env, SERVICE_ID: String(world.northwind.organisation_id), API_KEY: world.northwind.api_key };
      const { stdout } = await promisify(execFile)('sh', ['-c', example.replaceAll('http://127.0.0.1:4000', atrium.url)], { env });
      assert.equal(JSON.parse(stdout).status, 'success', stdout);
    });
  }
  test('has examples', () => assert.ok(examples.length >= 4));
});

describe('the API document', async () => {
  const { body: document } = await atrium.call('GET', '/openapi.json', { key: null });
  const operations = Object.values(document.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap((path) =>
    Object.values(path),
  );

  test('every operation has an id of its own, summary, description, scope or its absence, and its errors', () => {
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    for (const { operationId, summary, description, responses } of operations) {
      assert.ok(summary && description && responses, String(operationId));
      assert.match(String(description), /Scope: `|For a signed-in person|Needs no credential/, String(operationId));
    }
  });
  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
    assert.ok(references.length > 20);
    for (const name of references) assert.ok(document.components.schemas[name], name);
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
    for (const address of assets) assert.equal((await fetch(new URL(address, `${atrium.url}/docs/`))).status, 200, address);
    assert.ok(assets.every((address) => !/^(https?:)?\/\//.test(address)));
  });
});

describe('health', () => {
  test('the process, its readiness and its metrics can be asked without a credential', async () => {
    assert.deepEqual((await atrium.call('GET', '/healthz', { key: null })).body, { status: 'ok' });
    assert.deepEqual((await atrium.call('GET', '/readyz', { key: null })).body, {
      status: 'ready',
      checks: { database: 'ok', migrations: 'ok' },
    });
    await atrium.call('GET', '/v1/users');
    const { body } = await atrium.call('GET', '/metrics', { key: null });
    assert.match(body, /atrium_http_request_duration_seconds_count\{method="GET",route="\/v1\/users",status="200"\} \d/);
    assert.match(body, /process_resident_memory_bytes \d/);
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

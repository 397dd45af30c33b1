// Forty programs that use the interface wrongly, each with a key of its own: each has the one finding that says so.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as rawRequest } from 'node:http';
import { describe, test } from 'node:test';
import { SignJWT } from 'jose';
import { startAtrium, world } from '../../testing/atrium.ts';
import { endAllAfterTests, entries, run } from '../../testing/processes.ts';
import { settled } from '../requests/log.ts';
import { adviceOf } from './judging.ts';

endAllAfterTests();
const atrium = await startAtrium();
type Options = Parameters<typeof atrium.call>[2];
interface Program {
  call(method: string, path: string, options?: Options): Promise<Awaited<ReturnType<typeof atrium.call>>>;
  post(path: string, json: object): Promise<{ id: number }>;
  times(count: number, every_ms: number, work: (n: number) => Promise<unknown>): Promise<void>;
  /** Sends it, and is gone before the answer. */
  abandon(path: string, table: string, json: object): Promise<void>;
}
function programOf(key: string): Program {
  const call: Program['call'] = (method, path, options) => atrium.call(method, `/v1${path}`, { key, ...options });
  return {
    call,
    async post(path, json) {
      const { status, body } = await call('POST', path, { json });
      assert.ok(status < 300, JSON.stringify(body));
      return body.data;
    },
    async times(count, every_ms, work) {
      for (let n = 0; n < count; n++) {
        if (n > 0 && every_ms > 0) atrium.clock.advance(every_ms);
        await work(n);
      }
    },
    async abandon(path, table, json) {
      const locking = await atrium.services.db.connect();
      await locking.query(`begin; lock table ${table} in access exclusive mode`);
      const gone = new Promise((resolve) =>
        atrium.http.server.once('connection', (socket) => socket.once('close', resolve)),
      );
      const headers = {
        authorization: `Bearer ${key}`,
        'service-id': world.northwind.organisation_id,
        'content-type': 'application/json',
      };
      const sent = rawRequest(`${atrium.url}/v1${path}`, { method: 'POST', headers, agent: false });
      sent.on('error', () => {});
      sent.end(JSON.stringify(json));
      const waits = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%${table}%'`;
      for (let n = 0; n < 1000 && (await atrium.rows(waits)).length === 0; n++);
      sent.destroy();
      await gone;
      await locking.query('commit');
      locking.release();
    },
  };
}

const page = (more: object = {}) => ({ title: 'T', html_content: '<p>x</p>', ...more });
const withHeader = { headers: { 'idempotency-key': 'abc' } };
let numbers = 0;
const fresh = () => `findings-${++numbers}`;
/** A row, then its replacement without what it had. */
const cleared = (path: string, before: object, after: object) => async (program: Program) => {
  const { id } = await program.post(path, before);
  assert.equal((await program.call('PUT', `${path}/${id}`, { json: after })).status, 200);
};
const invented =
  (path: string) =>
  async ({ call }: Program) =>
    assert.equal((await call('PATCH', path, { json: { title: 'New' } })).status, 405);
const steps =
  (path: string, take: number, step: number) =>
  ({ call, times }: Program) =>
    times(4, 100, (n) => call('GET', `${path}?take=${take}&skip=${n * step}`));
const unknown =
  (path: string, json: object) =>
  async ({ call }: Program) =>
    assert.ok((await call('POST', path, { json })).body.meta.warnings.length > 0);
const taken =
  (path: string, body: () => object) =>
  async ({ call, post }: Program) => {
    const json = body();
    await post(path, json);
    assert.equal((await call('POST', path, { json })).status, 409);
  };
const former =
  (path: string) =>
  async ({ call }: Program) =>
    assert.equal((await call('GET', path)).status, 200);
const polled =
  (path: string) =>
  ({ call, times }: Program) =>
    times(13, 15_000, () => call('GET', path));
const oneByOne =
  (path: string) =>
  ({ call, times }: Program) =>
    times(21, 50, (n) => call('GET', `${path}/${n + 1}`));

const patterns: [name: string, rule: string, wrong: (program: Program) => Promise<unknown>][] = [
  [
    'a page with Idempotency-Key',
    'idempotency_key',
    ({ call }) => call('POST', '/pages', { json: page(), ...withHeader }),
  ],
  [
    'a goal with Idempotency-Key',
    'idempotency_key',
    ({ call }) => call('POST', '/goals', { json: { title: 'G' }, ...withHeader }),
  ],
  ['a deletion with Idempotency-Key', 'idempotency_key', ({ call }) => call('DELETE', '/pages/999999', withHeader)],

  ['a PUT of a page without its subtitle', 'cleared_fields', cleared('/pages', page({ subtitle: 'S' }), page())],
  [
    'a PUT of a page without its summary',
    'cleared_fields',
    cleared('/pages', page({ summary: 'S' }), page({ subtitle: '' })),
  ],
  ['a PUT of an article without its subtitle', 'cleared_fields', cleared('/articles', page({ subtitle: 'S' }), page())],
  [
    'a PUT of a goal without its description',
    'cleared_fields',
    cleared('/goals', { title: 'G', description: 'D' }, { title: 'G' }),
  ],
  [
    'a PUT of an event without its place',
    'cleared_fields',
    cleared(
      '/events',
      { title: 'E', starts_at: '2090-01-01T10:00:00Z', ends_at: '2090-01-01T11:00:00Z', location: 'Hall' },
      { title: 'E', starts_at: '2090-01-01T10:00:00Z', ends_at: '2090-01-01T11:00:00Z' },
    ),
  ],
  [
    'a PUT of an app without its description',
    'cleared_fields',
    cleared('/admin/apps', { name: 'Cleared', description: 'D' }, { name: 'Cleared' }),
  ],

  [
    'a goal sent again after a lost answer',
    'repeated_create',
    async ({ abandon, post }) => {
      const json = { title: 'Lost' };
      await abandon('/goals', 'goals', json);
      await post('/goals', json);
    },
  ],
  [
    'a page sent again after a lost answer',
    'repeated_create',
    async ({ abandon, call }) => {
      const json = page({ external_id: 770_001 });
      await abandon('/pages', 'pages', json);
      await call('POST', '/pages', { json });
    },
  ],
  [
    'an update sent twice, refused by its external id',
    'repeated_create',
    taken('/updates', () => ({ text: 'U', external_id: fresh() })),
  ],
  [
    'a page sent twice, refused by its external id',
    'repeated_create',
    taken('/pages', () => page({ external_id: 770_002 })),
  ],
  ['an app sent twice, refused by its name', 'repeated_create', taken('/admin/apps', () => ({ name: 'Twice' }))],

  ['PATCH of a page', 'invented_method', invented('/pages/1')],
  ['PATCH of an article', 'invented_method', invented('/articles/1')],
  ['PATCH of a person', 'invented_method', invented('/users/1')],
  [
    'PUT of a list',
    'invented_method',
    async ({ call }) => assert.equal((await call('PUT', '/updates', { json: {} })).status, 405),
  ],

  ['skip goes on by one', 'skip_not_advanced', steps('/users', 10, 1)],
  ['skip goes on by 50 while take is 100', 'skip_not_advanced', steps('/pages', 100, 50)],
  ['skip goes on by 50 while take is 10', 'skip_not_advanced', steps('/updates', 10, 50)],

  [
    'a member of a space added and removed',
    'contradiction',
    ({ call }) => call('PATCH', '/spaces/1/users', { json: { ids_to_add: [2], ids_to_remove: [2] } }),
  ],
  [
    'two roles in a space at once',
    'contradiction',
    ({ call }) => call('PATCH', '/spaces/1/users', { json: { ids_to_set_as_editor: [2], ids_to_set_as_member: [2] } }),
  ],
  [
    'a member of a team added and removed',
    'contradiction',
    ({ call }) => call('PATCH', '/teams/1/users', { json: { ids_to_add: [2], ids_to_remove: [2] } }),
  ],

  ['a field of a page misspelt', 'unknown_fields', unknown('/pages', page({ isdraft: 1 }))],
  ['a field of an update misspelt', 'unknown_fields', unknown('/updates', { text: 'U', externalId: 'x' })],
  ['a field of a goal misspelt', 'unknown_fields', unknown('/goals', { title: 'G', descripton: 'D' })],
  ['a parameter of a list misspelt', 'unknown_fields', ({ call }) => call('GET', '/articles?stat=archived')],

  ['updates by in_spaces', 'deprecated_form', former('/updates?in_spaces=1')],
  ['pages by in_spaces', 'deprecated_form', former('/pages?in_spaces=1')],
  ['kudos by in_teams', 'deprecated_form', former('/kudos?in_teams=1')],

  ['the newest articles every 15 seconds', 'polling', polled('/articles?take=5')],
  ['one page every 15 seconds', 'polling', polled('/pages/1')],

  ['people one by one', 'n_plus_one', oneByOne('/users')],
  ['pages one by one', 'n_plus_one', oneByOne('/pages')],

  [
    'all people, to read one',
    'list_to_find_one',
    ({ call, times }) =>
      times(3, 1000, async () => {
        for (let n = 0; n < 3; n++) await call('GET', `/users?take=2&skip=${2 * n}`);
        await call('GET', '/users/2');
      }),
  ],
];

const judged = async () => {
  await settled(atrium.services);
  atrium.clock.advance(60_000);
  await atrium.drain();
};
const findingsOf = async (key: string) => {
  const { body } = await atrium.call('GET', '/v1/findings?take=100', { key });
  return body.data as Record<string, unknown>[];
};
const found = async (key: string, rule: string, name: string) => {
  const [finding, ...others] = await findingsOf(key);
  assert.deepEqual([finding?.rule, others.map(({ rule }) => rule)], [rule, []], name);
  for (const field of ['seen', 'why', 'advice', 'chapter']) assert.ok(String(finding?.[field]).length > 5, field);
  return finding;
};

describe('a wrong pattern is one finding', async () => {
  const keys: string[] = [];
  for (const [, , wrong] of patterns) {
    const key = await atrium.keyWith(['*']);
    keys.push(key);
    await wrong(programOf(key));
  }
  await judged();
  for (const [n, [name, rule]] of patterns.entries())
    test(name, async () => {
      const finding = await found(keys[n] ?? '', rule, name);
      assert.notDeepEqual(finding?.request_ids, []);
    });

  test('the fields that a PUT cleared are named', async () => {
    const n = patterns.findIndex(([name]) => name === 'a PUT of a page without its subtitle');
    const [finding] = await findingsOf(keys[n] ?? '');
    assert.match(String(finding?.seen), /cleared it: subtitle\.$/);
  });
  for (const [code, exp, nbf] of [
    ['jwt_expired', -60, -120],
    ['jwt_not_yet_valid', 600, 300],
    ['jwt_lifetime_too_long', 7200, 0],
  ] as const)
    test(`a clock that goes wrong: ${code}`, async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const app = (await atrium.call('POST', '/v1/admin/apps', { json: { name: code } })).body.data.id;
      const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] };
      await atrium.call('PUT', `/v1/admin/apps/${app}/jwt-settings`, { json: { jwks } });
      const now = Math.floor(atrium.clock.micros() / 1_000_000);
      const jwt = new SignJWT({ iss: String(app), sub: '2', exp: now + exp, nbf: now + nbf });
      const signed = await jwt.setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
      const headers = { 'x-service-jwt': signed, 'x-service-jwt-keyid': 'one' };
      assert.equal((await atrium.call('GET', '/v1/goals', { key: null, headers })).body.code, code);
      await judged();
      const { data } = (await atrium.call('GET', `/v1/admin/findings?app_id=${app}`)).body;
      assert.deepEqual([data.length, data[0]?.rule, data[0]?.subject], [1, 'clock_skew', code]);
    });
});

test('every rule names a chapter that is there', () => {
  for (const { chapter } of adviceOf.values()) {
    const [name, anchor] = chapter.split('#');
    const text = readFileSync(new URL(`../../../docs/guides/${name}`, import.meta.url), 'utf8');
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replace(/,/g, ''));
    assert.ok(anchor === undefined || anchors.includes(anchor.replaceAll('-', ' ')), chapter);
  }
});

test('a program that does it right has no finding', async () => {
  const key = await atrium.keyWith(['*']);
  const { call, post } = programOf(key);
  const { id } = await post('/pages', page({ external_id: 770_100, subtitle: 'S' }));
  const { data } = (await call('GET', `/pages/${id}`)).body;
  await call('PUT', `/pages/${id}`, { json: page({ subtitle: data.subtitle, is_draft: 0 }) });
  for (let skip = 0; skip < 30; skip += 10) await call('GET', `/users?take=10&skip=${skip}`);
  await call('DELETE', `/pages/${id}`);
  await judged();
  assert.deepEqual(await findingsOf(key), []);
});

describe('what credentials show', () => {
  test('more scope than is used, an end that comes near, a receiver that is slow, and the week', async () => {
    const wide = await atrium.keyWith(['pages.*.read', 'goals.*.write']);
    const unused = await atrium.keyWith(['goals.*.read']);
    const right = await atrium.keyWith(['pages.*.read']);
    atrium.clock.advance(31 * 24 * 3_600_000);
    for (const key of [wide, right]) await atrium.call('GET', '/v1/pages', { key });
    const ends = new Date(atrium.clock.micros() / 1000 + 3 * 24 * 3_600_000).toISOString();
    const made = await atrium.call('POST', '/v1/admin/apps/2/keys', {
      json: { name: 'Ends', scopes: ['pages.*.read'], expires_at: ends },
    });
    await atrium.call('GET', '/v1/pages', { key: made.body.data.api_key });
    const hook = await atrium.call('POST', '/v1/admin/webhooks', {
      json: { name: 'Slow', url: 'https://hooks.example.com/', events: ['page.created'] },
    });
    await atrium.rows(
      `insert into webhook_deliveries (organisation_id, webhook_id, event_id, action, state, attempts, next_attempt_at,
         latency_ms, last_status, last_attempt_at, created_at, payload)
       select 1, $1, gen_random_uuid(), 'page.created', 'delivered', 1, $2, 4321, 204, $2, $2, '{}'`,
      [hook.body.data.id, atrium.clock.now()],
    );
    await judged();
    const finding = await found(wide, 'unused_scopes', 'wide');
    assert.match(String(finding?.seen), /it used pages\.\*\.read; it also holds goals\.\*\.write/);
    await found(unused, 'unused_scopes', 'unused');
    assert.deepEqual(await findingsOf(right), []);
    await found(made.body.data.api_key, 'token_near_expiry', 'ends');
    const { data } = (await atrium.call('GET', '/v1/admin/findings?rule=slow_webhook')).body;
    assert.match(data[0].seen, /^Slow took more than 4 seconds .* up to 4321 ms/);

    atrium.clock.advance(7 * 24 * 3_600_000);
    await judged();
    const [week] = (await atrium.call('GET', '/v1/requests/summaries', { key: right })).body.data;
    assert.deepEqual(
      [week.calls, week.refused, week.operations[1].operation, new Date(week.week).getUTCDay()],
      [2, 0, 'listPages', 1],
    );
    const all = (await atrium.call('GET', '/v1/admin/requests/summaries')).body;
    assert.ok(all.meta.pagination.total_records > 1);
  });

  test('`atrium requests findings` says it in a shell', async () => {
    const shown = run([entries.cli, 'requests', 'findings', '--org', '1', '--json'], {
      env: { DATABASE_URL: atrium.database_url },
    });
    assert.equal(await shown.exit, 0);
    const rules = JSON.parse(shown.stdout()).findings.map(({ rule }: { rule: string }) => rule);
    assert.ok(rules.includes('unused_scopes') && !rules.includes('nothing'));
  });
});

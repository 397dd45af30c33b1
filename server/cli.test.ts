import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import {
  authorised,
  credentialsOf,
  databaseOf,
  dataFolder,
  endAllAfterTests,
  entries,
  postmasterOf,
  run,
  type Server,
  serve,
} from './testing/processes.ts';

endAllAfterTests();

interface Ended {
  code: number | NodeJS.Signals;
  stdout: string;
  stderr: string;
}

async function atrium(data: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const command = run([entries.cli, ...args], { env: { ATRIUM_DATA: data, ...env } });
  const code = await command.exit;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** With --json there is one object on stdout and nothing else. */
// biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape.
async function json(data: string, args: string[], expected = 0, env: Record<string, string> = {}): Promise<any> {
  const { code, stdout, stderr } = await atrium(data, [...args, '--json'], env);
  assert.equal(code, expected, `${args.join(' ')}: ${stdout}${stderr}`);
  assert.equal(stderr, '');
  assert.equal(stdout.split('\n').length, 2, stdout);
  return JSON.parse(stdout);
}

/** All at once; for the first one also what is printed without --json. */
async function refused(data: string, exit: number, cases: [args: string[], sentence: RegExp][]) {
  const [first] = cases;
  const { code, stdout, stderr } = await atrium(data, first?.[0] ?? []);
  assert.deepEqual([code, stdout], [exit, '']);
  assert.match(stderr, first?.[1] ?? /never/);
  await Promise.all(
    cases.map(async ([args, sentence]) => assert.match((await json(data, args, exit)).error, sentence)),
  );
}

const call = (server: Server, path: string, key: { service_id: string; api_key: string }, method = 'GET') =>
  fetch(server.url + path, { method, headers: authorised(key) });

const asleep = dataFolder();
const awake = dataFolder();
const server = await serve(awake);
const demo = await credentialsOf(server);

for (const [state, data] of [
  ['without a server', asleep],
  ['beside a running server', awake],
] as const) {
  test(`${state}, each command does its work and --json prints one object`, async () => {
    const before = (await json(data, ['org', 'list'])).organisations.length;
    const made = await json(data, ['org', 'create', 'Fabrikam Möbel']);
    assert.equal(made.domain, 'fabrikam-mobel.localhost');
    assert.deepEqual(Object.keys(made), [
      'organisation_id',
      'domain',
      'api_base_url',
      'scim_base_urls',
      'admin',
      'api_key',
      'scim_secret',
    ]);
    assert.deepEqual(Object.keys(made.scim_base_urls), ['direct', 'idp-a', 'idp-b']);
    const based = { ATRIUM_BASE_URL: `https://${state.length}.example` };
    const first = await json(data, ['org', 'create', 'Acme'], 0, based);
    const second = await json(data, ['org', 'create', 'Acme'], 0, based);
    assert.deepEqual(
      [first.api_base_url, second.api_base_url],
      [`https://${state.length}.example`, `https://acme.${state.length}.example`],
    );
    const org = ['--org', String(made.organisation_id)];
    const moved = await json(data, ['org', 'domain', 'http://intranet.fabrikam.example:8080', ...org]);
    assert.equal(moved.web_url, 'http://intranet.fabrikam.example:8080');
    const { organisations } = await json(data, ['org', 'list']);
    assert.deepEqual([organisations.length, organisations.at(-3).url], [before + 3, moved.web_url]);

    const key = await json(data, [
      'key',
      'create',
      ...org,
      '--name',
      'Import',
      '--scopes',
      'pages.*.read, users.*.read',
    ]);
    const everything = await json(data, ['key', 'create', ...org, '--name', 'Everything', '--scopes', '*']);
    assert.equal(everything.app_id, key.app_id, 'one app holds the keys of the command line');
    await json(data, ['key', 'revoke', ...org, '--key', String(key.key_id)]);
    const { keys } = await json(data, ['key', 'list', ...org]);
    assert.deepEqual(
      keys.map(({ name, scopes, revoked }: { name: string; scopes: string[]; revoked: boolean }) => [
        name,
        scopes,
        revoked,
      ]),
      [
        ['First key', ['*'], false],
        ['Import', ['pages.*.read', 'users.*.read'], true],
        ['Everything', ['*'], false],
      ],
    );

    const scim = await json(data, ['scim', 'secret', ...org, '--provider', 'idp-a']);
    assert.equal(scim.scim_base_url, `${moved.web_url}/idp-a/v2/scim`);
    assert.match(scim.scim_secret, /^scim_.{40,}/);
    assert.equal(scim.suggestion, undefined, 'the sync guard of a new organisation is on');

    const person = ['--email', 'noor@fabrikam.example', '--first-name', 'Noor', '--last-name', 'Haddad'];
    const user = await json(data, ['user', 'create', ...org, ...person, '--roles', 'developer,admin']);
    assert.deepEqual(user.roles, ['user', 'developer', 'admin']);
    assert.ok(user.password.length >= 12);
    const changed = await json(data, [
      'user',
      'password',
      ...org,
      '--email',
      'NOOR@fabrikam.example',
      '--password',
      'a long new password',
    ]);
    assert.deepEqual([changed.user_id, changed.password], [user.user_id, 'a long new password']);

    const seeded = await json(data, ['seed', ...org, '--users', '20', '--posts', '10']);
    assert.deepEqual([seeded.users, seeded.posts], [20, 10]);
    const built = await json(data, ['search', 'rebuild', ...org]);
    assert.ok(built.items >= 30, `${built.items} items can be found`);
    assert.equal((await json(data, ['search', 'rebuild', ...org, '--continue'])).items, built.items);
    assert.deepEqual(await json(data, ['migrate']), { applied: [] });
    const health = await json(data, ['doctor']);
    assert.deepEqual(
      health.checks.map(({ check }: { check: string }) => check),
      [
        ...['node', 'settings', 'data folder', 'disk', 'database', 'migrations', 'organisations', 'list totals'],
        ...['secret key', 'storage', 'port'],
      ],
    );
  });
}

test('without a server, the database runs no longer than the command', () => {
  assert.equal(postmasterOf(asleep), undefined);
  assert.notEqual(postmasterOf(awake), undefined);
});

test(`beside a running server, what a command makes works at once, and a key it revokes \
is refused at once`, async () => {
  const org = ['--org', demo.service_id];
  const key = await json(awake, ['key', 'create', ...org, '--name', 'Reader', '--scopes', 'users.*.read']);
  const credentials = { service_id: demo.service_id, api_key: key.api_key };
  assert.equal((await call(server, '/v1/users', credentials)).status, 200);
  assert.equal((await call(server, '/v1/pages', credentials, 'POST')).status, 403);
  await json(awake, ['key', 'revoke', ...org, '--key', String(key.key_id)]);
  assert.equal((await call(server, '/v1/users', credentials)).status, 401);
});

test('a new password signs in, and ends the sessions that were', async () => {
  const person = ['--org', demo.service_id, '--email', 'ben.lindqvist@northwind.example'];
  const signIn = (password: string) =>
    fetch(`${server.url}/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'service-id': demo.service_id },
      body: JSON.stringify({ email: 'ben.lindqvist@northwind.example', password }),
    });
  const { password } = await json(awake, ['user', 'password', ...person]);
  const session = await signIn(password);
  assert.equal(session.status, 201);
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const me = () => fetch(`${server.url}/v1/sessions/current`, { headers: { cookie } });
  assert.equal((await me()).status, 200);
  await json(awake, ['user', 'password', ...person]);
  assert.equal((await me()).status, 401);
  assert.notEqual((await signIn(password)).status, 201);
});

test('--demo fills the organisation with the demo company', async () => {
  const made = await json(awake, ['org', 'create', 'Northwind Two', '--domain', 'Two.example.com', '--demo']);
  assert.equal(made.domain, 'two.example.com');
  const credentials = { service_id: String(made.organisation_id), api_key: made.api_key };
  assert.equal((await call(server, '/v1/users/by-external-id/E-1001', credentials)).status, 200);
});

test('commands that start together without a server wait for one another', async () => {
  const made = await Promise.all(['One', 'Two', 'Three', 'Four'].map((name) => json(asleep, ['org', 'create', name])));
  assert.equal(new Set(made.map(({ organisation_id }) => organisation_id)).size, 4);
  assert.equal(postmasterOf(asleep), undefined);
});

test('a wrong command line is exit code 2 and a sentence that says what is missing', async () => {
  const cases: [args: string[], sentence: RegExp][] = [
    [[], /Which command/],
    [['adopt'], /needs --secret-key or --storage/],
    [['org', 'domain', 'no host', '--org', '1'], /must be a host name/],
    [['org', 'destroy'], /There is no command "org destroy"/],
    [['org', 'create'], /needs <name>/],
    [['org', 'create', 'A', 'B'], /"B" is one word too many/],
    [['org', 'create', 'A', '--domain', 'no host'], /must be a host name/],
    [['key', 'create', '--org', '1', '--name', 'x'], /needs --scopes/],
    [['key', 'create', '--org', '1', '--name', 'x', '--scopes', 'pages.read'], /"pages.read" is none/],
    [['key', 'list', '--org', 'one'], /--org must be an id/],
    [['scim', 'secret', '--org', '1', '--provider', 'idp-z'], /must be one of direct, idp-a, idp-b/],
    [['user', 'password', '--org', '1', '--email', 'a@b.example', '--password', 'short'], /12 to 1024 characters/],
    [['seed', '--org', '1', '--users', 'many'], /--users must be a number/],
    [['doctor', '--loud'], /Unknown option '--loud'/],
  ];
  await refused(asleep, 2, cases);
});

test('what cannot be done is exit code 1 and a sentence, in JSON too', async () => {
  const org = ['--org', demo.service_id];
  const cases: [args: string[], sentence: RegExp][] = [
    [
      ['org', 'create', 'Again', '--domain', 'two.example.com'],
      /domain two.example.com is taken by organisation \d+ \(Northwind Two\)/,
    ],
    [['key', 'list', '--org', '999'], /There is no organisation 999/],
    [['key', 'approve', '--org', '1', '--key', '1'], /nothing to decide: key 1 is active/],
    [['key', 'refuse', '--org', '1', '--key', '99'], /has no key 99/],
    [['key', 'revoke', ...org, '--key', '999'], /has no key 999/],
    [['user', 'password', ...org, '--email', 'nobody@northwind.example'], /Nobody in organisation/],
    [
      ['user', 'create', ...org, '--email', 'ADA.okafor@northwind.example', '--first-name', 'A', '--last-name', 'O'],
      /email is taken/,
    ],
    [
      ['user', 'create', ...org, '--email', 'ada', '--first-name', 'A', '--last-name', 'O'],
      /must be a valid e-mail address/,
    ],
  ];
  await refused(awake, 1, cases);
});

test('DATABASE_URL is used as it is: commands wait for `migrate`, and name a database \
that does not answer', async () => {
  const url = new URL(databaseOf(awake));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('create database elsewhere');
  await client.end();
  url.pathname = '/elsewhere';
  const env = { DATABASE_URL: url.href };
  const data = dataFolder();
  assert.match((await json(data, ['org', 'create', 'Far'], 1, env)).error, /migrations are pending.*atrium migrate/);
  assert.ok((await json(data, ['migrate'], 0, env)).applied.includes('0001_organisations.sql'));
  assert.equal((await json(data, ['org', 'create', 'Far'], 0, env)).organisation_id, 1);
  const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  assert.match((await json(data, ['org', 'list'], 1, nowhere)).error, /does not answer/);
  const { checks } = await json(data, ['doctor'], 1, nowhere);
  assert.deepEqual(
    checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ check }: { check: string }) => check),
    ['database'],
  );
});

test('after a key was lost, a node is refused until it is adopted, and doctor says so', async () => {
  const env = { ATRIUM_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'), NATS_URL: 'nats://127.0.0.1:1' };
  const wrong = async () => {
    const { checks } = await json(awake, ['doctor'], 1, env);
    return checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ check }: { check: string }) => check);
  };
  assert.deepEqual(await wrong(), ['secret key', 'nats']);
  await json(awake, ['adopt', '--secret-key'], 0, env);
  assert.deepEqual(await wrong(), ['nats']);
  await json(awake, ['adopt', '--secret-key']);
});

test('doctor finds a wrong total, a changed and a pending migration, a taken port, and says what to do', async () => {
  const client = new pg.Client({ connectionString: databaseOf(awake) });
  await client.connect();
  const finding = async (check: string, env = {}) =>
    (await json(awake, ['doctor'], 1, env)).checks.find((one: { check: string }) => one.check === check);
  try {
    await client.query(`insert into list_changes values (${demo.service_id}, 'pages', 0, now(), 1, 0, 1)`);
    assert.match((await finding('list totals')).sentence, /pages of Northwind Retail/);
    await client.query(`insert into list_changes values (${demo.service_id}, 'pages', 0, now(), 1, 0, -1)`);
    assert.equal((await json(awake, ['doctor'])).ok, true);

    await client.query(`update schema_migrations set checksum = 'x' || checksum where version = 3`);
    assert.match((await finding('migrations')).sentence, /0003_teams.sql differ/);
    await client.query(`update schema_migrations set checksum = substr(checksum, 2) where version = 3`);
    const { rows } = await client.query('delete from schema_migrations where version = 5 returning *');
    assert.match((await finding('migrations')).sentence, /0005_pages.sql are pending: run `atrium migrate`/);
    await client.query(
      'insert into schema_migrations select * from json_populate_record(null::schema_migrations, $1)',
      [JSON.stringify(rows[0])],
    );
  } finally {
    await client.end();
  }
  const port = new URL(databaseOf(awake)).port;
  assert.match((await finding('port', { ATRIUM_PORT: port })).sentence, /taken by another program/);
  const served = await json(awake, ['doctor'], 0, { ATRIUM_PORT: new URL(server.url).port });
  assert.match(JSON.stringify(served.checks), /Atrium serves on/);
  assert.match(JSON.stringify(served.checks), new RegExp(`is owned by server \\(process ${server.pid}\\)`));
});

test('the version, and the commands of a group, are shown to who asks', async () => {
  assert.match((await atrium(asleep, ['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
  for (const args of [['webhooks'], ['webhooks', '--help'], ['help', 'webhooks']]) {
    const { code, stdout } = await atrium(asleep, args);
    assert.equal(code, 0);
    for (const word of ['listen', 'trigger', 'replay']) assert.match(stdout, new RegExp(`atrium webhooks ${word}`));
    assert.doesNotMatch(stdout, /atrium seed/);
  }
});

test('the usage text names every command', async () => {
  const command = run([entries.atrium, '--help']);
  assert.equal(await command.exit, 0);
  const stdout = command.stdout();
  for (const words of [
    'org create',
    'org list',
    'key create',
    'key list',
    'key approve',
    'key refuse',
    'key revoke',
    'scim secret',
    'user create',
    'user password',
    'search rebuild',
    'seed',
    'org domain',
    'adopt',
    'migrate',
    'doctor',
  ])
    assert.match(stdout, new RegExp(`atrium ${words}`));
});

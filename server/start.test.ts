import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server as Listener } from 'node:net';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { startEmbedded } from './postgres/embedded.ts';
import {
  authorised,
  type Credentials,
  credentialsOf,
  databaseOf,
  dataFolder,
  endAllAfterTests,
  entries,
  isReady,
  killed,
  lives,
  postmasterOf,
  type Running,
  type RunOptions,
  run,
  SERVES,
  type Server,
  serve,
  startServing,
  until,
} from './testing/processes.ts';

endAllAfterTests();

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65534, gid: 65534 };

const statusOf = async (url: string, credentials: Credentials) =>
  (await fetch(`${url}/v1/users/by-external-id/E-1001`, { headers: authorised(credentials) })).status;

/** Stops as an operator does, and checks that nothing is left. */
async function stop(server: Running, data: string) {
  server.kill('SIGTERM');
  assert.equal(await server.exit, 0, server.stderr());
  assert.equal(postmasterOf(data), undefined, 'the database stops with its server');
}

/** A port that another program holds. */
const takenPort = (host = '127.0.0.1') =>
  new Promise<{ port: number; holder: Listener }>((resolve) => {
    const holder = createServer((socket) => socket.destroy());
    after(() => holder.close());
    holder.listen(0, host, () => resolve({ port: (holder.address() as { port: number }).port, holder }));
  });

// ---- One installation through good and bad days --------------------------------------------------------------------

const home = dataFolder("Ann's data (1)");
let server: Server;
let credentials: Credentials;

test('the first start prints credentials, and the request that it proposes works', async () => {
  server = await serve(home);
  credentials = await credentialsOf(server);
  const [, url = '', ...words] = /^curl (\S+)(.*)$/.exec(credentials.curl) ?? [];
  const headers = Object.fromEntries(
    [...words.join('').matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
  );
  const reply = await fetch(url, { headers });
  assert.equal(reply.status, 200);
  const { data } = (await reply.json()) as { data: { external_id: string } };
  assert.equal(data.external_id, 'E-1001');
  await stop(server, home);
});

test('a second start prints no credentials, but how to get others; those of the first go on', async () => {
  server = await serve(home);
  await server.printed(/npx atrium key create --org 1 (.|\n)*npx atrium user password --org 1/);
  assert.doesNotMatch(server.stdout() + server.stderr(), /atr_|scim_|API key/);
  assert.equal(await statusOf(server.url, credentials), 200);
});

test('a database that a killed server left behind is taken over as it runs', async () => {
  const database = postmasterOf(home);
  await killed(server.pid);
  assert.equal(postmasterOf(home), database);
  server = await serve(home);
  assert.equal(postmasterOf(home), database);
  assert.equal(await statusOf(server.url, credentials), 200);
});

test('a running server heals when its database is killed', async () => {
  for (let i = 0; i < 2; i++) {
    const database = postmasterOf(home) ?? 0;
    await killed(database);
    await until(() => isReady(server.url), 'the server is ready again');
    assert.notEqual(postmasterOf(home), database);
    assert.equal(await statusOf(server.url, credentials), 200);
  }
});

test('when server and database were killed, a start recovers', async () => {
  const database = postmasterOf(home) ?? 0;
  await Promise.all([killed(database), killed(server.pid)]);
  server = await serve(home);
  assert.equal(await statusOf(server.url, credentials), 200);
});

test('a second server on the data folder is refused with a sentence, and the first goes on', async () => {
  const second = startServing(home);
  assert.equal(await second.exit, 1);
  assert.match(
    second.stderr(),
    new RegExp(`Another Atrium process \\(server, process ${server.pid}\\) uses the data folder .*ATRIUM_DATA`),
  );
  assert.equal(await statusOf(server.url, credentials), 200);
  await stop(server, home);
});

test('a taken port is named, and neither database nor lock is left behind', async () => {
  const { port, holder } = await takenPort();
  const refused = startServing(home, { env: { ATRIUM_PORT: String(port) } });
  assert.equal(await refused.exit, 1);
  assert.match(refused.stderr(), new RegExp(`Port ${port} is taken by another program.*ATRIUM_PORT=`));
  assert.equal(postmasterOf(home), undefined);
  await new Promise((resolve) => holder.close(resolve));
  const platform = { ATRIUM_PORT: '', PORT: String(port), HOST: '0.0.0.0', ATRIUM_PROT: '1' };
  server = await serve(home, { env: { ...platform, ATRIUM_BASE_URL: `http://intranet.example:${port}` } });
  assert.equal(server.url, `http://intranet.example:${port}`);
  const organisation = await fetch(`http://127.0.0.1:${port}/v1/admin/organisation`, {
    headers: authorised(credentials),
  });
  const { data } = (await organisation.json()) as { data: { api_base_url: string } };
  assert.equal(data.api_base_url, server.url);
  await server.printed(/ATRIUM_PROT is not a setting of Atrium.* Is ATRIUM_PORT meant\?/);
  await stop(server, home);
});

test('the database takes its preferred port, or a free one when that is taken', async () => {
  const { port, holder } = await takenPort();
  const env = { ATRIUM_POSTGRES_PORT: String(port) };
  server = await serve(home, { env });
  assert.notEqual(new URL(databaseOf(home)).port, String(port));
  assert.equal(await statusOf(server.url, credentials), 200);
  await stop(server, home);
  await new Promise((resolve) => holder.close(resolve));
  server = await serve(home, { env });
  assert.equal(new URL(databaseOf(home)).port, String(port));
  await stop(server, home);
});

test(`a postmaster.pid of another process, or of the folder this one was copied from, \
is not mistaken for its database`, async () => {
  const copy = dataFolder();
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  if (isRoot) spawnSync('chown', ['-R', '--reference', join(home, 'postgres'), join(copy, 'postgres')]);
  server = await serve(home);
  const original = postmasterOf(home);
  cpSync(join(home, 'postgres', 'postmaster.pid'), join(copy, 'postgres', 'postmaster.pid'));
  const other = await serve(copy);
  assert.notEqual(postmasterOf(copy), original);
  await stop(other, copy);
  assert.equal(await statusOf(server.url, credentials), 200);
  await stop(server, home);
  writeFileSync(join(copy, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(copy, 'postgres')}\n1\n1\n`);
  await stop(await serve(copy), copy);
});

// ---- What others on the machine, and statements of a request, may do ------------------------------------------------

/** Every file and folder of a data folder but the database's own, with its permissions. */
const permissions = (data: string) =>
  readdirSync(data, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^postgres(\/|$)/.test(path))
    .map((path) => ({ path, found: statSync(join(data, path)) }));
const openTo = (data: string) =>
  permissions(data).flatMap(({ path, found }) => ((found.mode & 0o077) === 0 ? [] : [path]));

test('what lies in the data folder is closed to other users, also what a former version left open', async () => {
  const modeOf = () => (statSync(home).mode & 0o777).toString(8);
  const closed = isRoot ? '710' : '700';
  assert.ok(permissions(home).some(({ path, found }) => path.startsWith('files/') && found.isFile()));
  assert.deepEqual([openTo(home), modeOf()], [[], closed]);
  for (const { path, found } of permissions(home)) chmodSync(join(home, path), found.isDirectory() ? 0o755 : 0o644);
  chmodSync(home, 0o755);
  server = await serve(home);
  assert.deepEqual([openTo(home), modeOf()], [[], closed]);
});

test('requests work as a role that is no superuser, also in a database that a former version made', async () => {
  const rolesAtWork = `
    select distinct r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, pg_get_userbyid(d.datdba) as owner
    from pg_stat_activity a
    join pg_roles r on r.rolname = a.usename
    join pg_database d on d.datname = a.datname
    where a.application_name like 'atrium node %'`;
  const may = { rolsuper: false, rolcreaterole: false, rolcreatedb: false };
  const expected = [{ rolname: 'atrium_app', ...may, owner: 'atrium_app' }];
  assert.deepEqual(await asSuperuser(rolesAtWork), expected);
  await stop(server, home);
  // The database's own start and stop, as `atrium` commands have them.
  const upkeep = await startEmbedded({ data_dir: home, port: 5499 });
  await asSuperuser('reassign owned by atrium_app to atrium');
  await asSuperuser('drop owned by atrium_app');
  await asSuperuser('drop role atrium_app');
  await upkeep.stop();
  server = await serve(home);
  assert.deepEqual(await asSuperuser(rolesAtWork), expected);
  const foreign = `select relname from pg_class where relnamespace = 'public'::regnamespace
    and pg_get_userbyid(relowner) <> 'atrium_app'`;
  assert.deepEqual(await asSuperuser(foreign), []);
  assert.equal(await statusOf(server.url, credentials), 200);
  await stop(server, home);
});

async function asSuperuser(statement: string) {
  const client = new pg.Client({ connectionString: databaseOf(home) });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

// ---- Starting at the same moment -----------------------------------------------------------------------------------

test('of servers that start at the same moment on an empty folder one wins, and the others say why not', async () => {
  const folder = dataFolder();
  const winner = await race(folder, 3);
  const printed = await credentialsOf(winner);
  assert.equal(await statusOf(winner.url, printed), 200);
  await Promise.all([killed(winner.pid), killed(postmasterOf(folder) ?? 0)]);
  const next = await race(folder, 3);
  assert.equal(await statusOf(next.url, printed), 200);
  await stop(next, folder);
});

async function race(folder: string, starters: number): Promise<Server> {
  const all = Array.from({ length: starters }, () => startServing(folder));
  const outcomes = await Promise.all(
    all.map((one) => Promise.race([one.printed(SERVES).catch(() => one.exit), one.exit])),
  );
  const winners = outcomes.flatMap((outcome, i) =>
    typeof outcome === 'object' ? [{ ...(all[i] as Running), url: outcome[1] ?? '' }] : [],
  );
  assert.equal(winners.length, 1, JSON.stringify(all.map((one) => one.stderr())));
  for (const loser of all.filter(({ pid }) => pid !== winners[0]?.pid)) {
    assert.equal(await loser.exit, 1);
    assert.match(loser.stderr(), /Another Atrium process .* uses the data folder/);
  }
  return winners[0] as Server;
}

// ---- Who runs it ---------------------------------------------------------------------------------------------------

test('an ordinary user runs server and database', async (t) => {
  if (!isRoot) return t.skip('these tests run as an ordinary user already (sudo npm test)');
  const folder = dataFolder();
  const asNobody = asUser(NOBODY, folder);
  if (typeof asNobody === 'string') return t.skip(asNobody);
  const own = await serve(folder, {
    ...asNobody,
    env: { HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
  assert.equal(await statusOf(own.url, await credentialsOf(own)), 200);
  assert.equal(uidOf(own.pid), NOBODY.uid);
  assert.equal(uidOf(postmasterOf(folder) ?? 0), NOBODY.uid);
  await stop(own, folder);
});

test('a user without a name, as containers have them, is told what to do', async (t) => {
  if (!isRoot) return t.skip('only root can be another user (sudo npm test)');
  const folder = dataFolder();
  const nameless = { uid: 54_321, gid: 54_321 };
  const asNameless = asUser(nameless, folder);
  if (typeof asNameless === 'string') return t.skip(asNameless);
  const env = { ATRIUM_DATA: folder, HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const refused = run([entries.main], { ...asNameless, env });
  assert.notEqual(await refused.exit, 0);
  assert.match(
    refused.stderr() + refused.stdout(),
    /54321 has none\. Give it a line in \/etc\/passwd, .* or set DATABASE_URL/,
  );
});

/**
 * How to run node as this user, whose folder then is the user's; or why that cannot be done. A user to whom the
 * program's folder is closed is given the one capability that passes closed folders.
 */
function asUser(user: typeof NOBODY, folder: string): RunOptions | string {
  const node = join(dirname(folder), 'node');
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  chownSync(folder, user.uid, user.gid);
  const reading = ['-e', `require('fs').readFileSync(${JSON.stringify(entries.main)})`];
  const reads = (file: string, args: string[], identity = {}) =>
    spawnSync(file, [...args, ...reading], { cwd: '/', ...identity }).status === 0;
  if (reads(node, [], user)) return { node, ...user };
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  // PostgreSQL's initdb asks access(2), which else ignores the capability of a user that is not root.
  const caps = '-all,+dac_read_search';
  const kept = ['--securebits=+no_setuid_fixup', `--inh-caps=${caps}`, `--ambient-caps=${caps}`];
  const through = ['setpriv', ...ids, ...kept];
  if (reads('setpriv', [...through.slice(1), node])) return { node, through };
  return `user ${user.uid} cannot read ${entries.main} (chmod o+rx on the folders above it)`;
}

test('root runs the database as another user, also where that user cannot enter the folder above', async (t) => {
  if (!isRoot) return t.skip('only root can start as root (sudo npm test)');
  const folder = dataFolder('data', 0o700);
  const closed = await serve(folder);
  const first = await credentialsOf(closed);
  const postmaster = postmasterOf(folder) ?? 0;
  assert.notEqual(uidOf(postmaster), 0);
  const capabilities = /CapEff:\s+([0-9a-f]+)/.exec(readFileSync(`/proc/${postmaster}/status`, 'utf8'))?.[1];
  assert.equal(Number.parseInt(capabilities ?? '', 16), 4, 'reading closed folders, and nothing else');
  await killed(postmaster);
  await until(() => isReady(closed.url), 'the server is ready again');
  assert.equal(await statusOf(closed.url, first), 200);
  await stop(closed, folder);
});

const uidOf = (pid: number) => Number(/Uid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

// ---- Stopping ------------------------------------------------------------------------------------------------------

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`after ${signal} a request that has begun is answered, then server \
and database stop with exit code 0`, async () => {
    // Through the launcher, as `npm start` does it.
    const launcher = run([entries.launch, entries.main], { env: { ATRIUM_DATA: home } });
    const [, url = ''] = await launcher.printed(SERVES);
    const database = postmasterOf(home) ?? 0;
    const body = JSON.stringify({ title: `Written during ${signal}`, html_content: '<p>…</p>' });
    const writing = request(`${url}/v1/pages`, {
      method: 'POST',
      headers: {
        ...authorised(credentials),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    });
    const begun = new Promise((resolve) => writing.once('continue', resolve));
    const answered = new Promise<number | undefined>((resolve, reject) => {
      writing.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode)));
      writing.once('error', reject);
    });
    writing.flushHeaders();
    await begun;
    launcher.kill(signal);
    await launcher.printed(/stopping: answering what has begun/);
    writing.end(body);
    assert.equal(await answered, 201);
    assert.equal(await launcher.exit, 0);
    assert.equal(lives(database), false);
    assert.equal(existsSync(join(home, 'postgres', 'postmaster.pid')), false);
  });
}

test('a signal during the start stops what had been started', async () => {
  const folder = dataFolder();
  const starting = startServing(folder);
  await until(() => existsSync(join(folder, 'owner.json')), 'the folder is owned');
  starting.kill('SIGTERM');
  assert.equal(await starting.exit, 0, starting.stderr());
  assert.equal(postmasterOf(folder), undefined);
});

// ---- A database elsewhere ------------------------------------------------------------------------------------------

const BIN_15 = '/usr/lib/postgresql/15/bin';

test('PostgreSQL 15 at DATABASE_URL is migrated, gets the demo and serves', async (t) => {
  if (!existsSync(join(BIN_15, 'initdb')))
    return t.skip(`there is no ${BIN_15} (Debian 12: apt-get install postgresql-15)`);
  const folder = dataFolder();
  const database = join(folder, 'postgres');
  const user = isRoot ? NOBODY : {};
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const { port, holder } = await takenPort();
  await new Promise((resolve) => holder.close(resolve));
  const pgctl = (...args: string[]) =>
    spawnSync(join(BIN_15, 'pg_ctl'), ['-D', database, '-w', ...args], { cwd: '/', stdio: 'ignore', ...user });
  const made = spawnSync(join(BIN_15, 'initdb'), ['-D', database, '-U', 'atrium', '-A', 'trust', '-N'], {
    cwd: '/',
    encoding: 'utf8',
    ...user,
  });
  assert.equal(made.status, 0, made.stderr);
  pgctl('-l', join(folder, 'log'), '-o', `-p ${port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off`, 'start');
  const elsewhere = await serve(dataFolder(), {
    env: { DATABASE_URL: `postgres://atrium@127.0.0.1:${port}/postgres` },
  });
  assert.equal(await statusOf(elsewhere.url, await credentialsOf(elsewhere)), 200);
  elsewhere.kill('SIGTERM');
  assert.equal(await elsewhere.exit, 0);
  assert.ok(postmasterOf(folder), 'a database elsewhere is not ours to stop');
  pgctl('-m', 'fast', 'stop');
});

test('nodes that start at the same moment on one database migrate once, make one demo, and all serve', async () => {
  const url = new URL(process.env.ATRIUM_TEST_DATABASE ?? '');
  const name = `nodes_${process.pid}`;
  url.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  after(async () => {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  });
  await admin.query(`create database ${name}`);
  url.pathname = `/${name}`;
  const [shared, env] = [dataFolder(), { DATABASE_URL: url.href }];
  const nodes = await Promise.all([1, 2, 3].map(() => serve(shared, { env })));
  const informed = nodes.filter((node) => /API key/.test(node.stdout()));
  assert.equal(informed.length, 1, 'one node prints credentials');
  const given = await credentialsOf(informed[0] as Server);
  assert.equal(given.service_id, '1');
  for (const node of nodes) assert.equal(await statusOf(node.url, given), 200);
  const key = readFileSync(join(shared, 'secret.key'), 'utf8').trim();
  const others = [
    [shared, { ATRIUM_SECRET_KEY: Buffer.alloc(32).toString('base64') }, /secret key of this node is another one/],
    [dataFolder(), { ATRIUM_SECRET_KEY: key }, /files of this installation are not where this node keeps files/],
  ] as const;
  for (const [folder, more, sentence] of others) {
    const refused = startServing(folder, { env: { ...env, ...more } });
    assert.equal(await refused.exit, 1);
    assert.match(refused.stderr(), sentence);
    assert.match(refused.stderr(), /^Atrium did not start\. .*npx atrium adopt --/);
  }
  for (const node of nodes) node.kill('SIGINT');
  assert.deepEqual(await Promise.all(nodes.map(({ exit }) => exit)), [0, 0, 0]);
});

test('a database that does not answer is named, without its password', async () => {
  const { port } = await takenPort();
  const refused = startServing(dataFolder(), {
    env: { DATABASE_URL: `postgres://atrium:secret@127.0.0.1:${port}/none` },
  });
  assert.equal(await refused.exit, 1);
  assert.match(refused.stderr(), /^Atrium did not start. The database does not answer \(.+\)/);
  assert.doesNotMatch(refused.stderr(), /secret/);
});

// Looks at everything that Atrium needs and says what is wrong, and what to do about it.
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Config, settingsWarnings } from '../kernel/config.ts';
import type { Db } from '../kernel/data/db.ts';
import type { Listing } from '../kernel/data/listing.ts';
import { appliedTo, readMigrations } from '../kernel/data/migrate.ts';
import { literal, sql, trusted } from '../kernel/data/sql.ts';
import { storageFor } from '../kernel/files/s3-storage.ts';
import { compared, differences, findInstallation } from '../kernel/installation.ts';
import { createSealing, keyFile } from '../kernel/people/sealing.ts';
import { nats } from '../kernel/work/fan-out.ts';
import { listOrganisations } from '../modules/organisations/queries.ts';
import { DataFolderTaken, lockDataFolder } from '../postgres/data-lock.ts';
import { openPaths } from '../postgres/data-permissions.ts';
import type { Call, Command, Outcome } from './command.ts';

type Verdict = [ok: boolean, sentence: string];

const OLDEST_NODE = [24, 7] as const;
const OLDEST_POSTGRES = 15;
const FREE_BYTES_LEAST = 1024 ** 3;
/** Larger tables take too long to count while somebody waits. */
const COUNTED_ROWS_MAX = 1_000_000;

async function examine(call: Call): Promise<Outcome> {
  const { config } = call;
  const checks: { check: string; ok: boolean; sentence: string }[] = [];
  const look = async (check: string, at: () => Verdict | Promise<Verdict>) => {
    const [ok, sentence] = await Promise.resolve()
      .then(at)
      .catch((error: Error): Verdict => [false, error.message]);
    checks.push({ check, ok, sentence });
    return ok;
  };

  await look('node', nodeVersion);
  await look('settings', settings);
  await look('data folder', () => dataFolder(config.data_dir));
  await look('disk', () => diskSpace(config.data_dir));
  if (!config.database_url && !existsSync(join(config.data_dir, 'postgres'))) {
    await look('database', () => [true, 'There is none yet: the first start makes it.']);
  } else if (await look('database', async () => database(await call.db('as it is')))) {
    const db = await call.db('as it is');
    if (await look('migrations', () => migrations(db))) {
      await look('organisations', () => organisations(db));
      await look('list totals', () => listTotals(db));
      const common = await commonParts(config, db);
      await look('secret key', () => common.secret_key);
      await look('storage', () => common.storage);
    }
  }
  if (config.nats_url) await look('nats', () => natsServer(config.nats_url ?? ''));
  await look('port', () => port(config));
  const ok = checks.every((one) => one.ok);
  const lines = checks.map((one) => `${one.ok ? 'ok    ' : 'FAILED'}  ${one.check}: ${one.sentence}\n`);
  return { json: { ok, checks }, text: lines.join(''), failed: !ok };
}

function nodeVersion(): Verdict {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return [ok, ok ? `Node ${node}.` : `Node ${node} is too old: install ${OLDEST_NODE.join('.')} or newer.`];
}

/** The settings themselves were read before anything is looked at. */
function settings(): Verdict {
  const sentences = settingsWarnings(process.env);
  return [sentences.length === 0, sentences.join(' ') || 'All are understood.'];
}

/** Looks without making a key: a folder that has none is not given one by looking. */
async function commonParts(config: Config, db: Db): Promise<Record<'secret_key' | 'storage', Verdict>> {
  const installation = await findInstallation(db);
  const hasKey = config.secret_key !== undefined || existsSync(keyFile(config.data_dir));
  const sealing = hasKey ? createSealing(config) : { fingerprint: () => 'none' };
  const { secret_key, storage } = await compared({ db, sealing, storage: await storageFor(config) }, installation);
  const place = config.s3_bucket ? `the bucket ${config.s3_bucket}` : config.files_folder;
  const keys = hasKey ? 'It is that of the installation.' : 'There is none yet: the first start makes it.';
  return {
    secret_key: secret_key === 'ok' ? [true, keys] : [false, differences.secret_key],
    storage: storage === 'ok' ? [true, `Files are in ${place}.`] : [false, `${differences[storage]} (${place})`],
  };
}

async function natsServer(url: string): Promise<Verdict> {
  try {
    const carrier = await nats(url)(
      () => {},
      () => {},
    );
    await carrier.close();
    return [true, 'NATS answers.'];
  } catch (error) {
    return [false, `NATS does not answer (${(error as Error).message}): check NATS_URL, and that it runs.`];
  }
}

async function dataFolder(folder: string): Promise<Verdict> {
  if (!existsSync(folder)) {
    accessSync(nearest(folder), constants.W_OK);
    return [true, `${folder} does not exist yet and can be made.`];
  }
  const open = openPaths(folder);
  if (open.length > 0) return [false, `Other users can read ${open.join(', ')}: chmod -R go= closes them.`];
  try {
    (await lockDataFolder(folder, 'doctor'))();
    return [true, `${folder} can be written, and no process owns it.`];
  } catch (error) {
    if (!(error instanceof DataFolderTaken)) throw error;
    return [true, `${folder} can be written, and is owned by ${error.owner.purpose} (process ${error.owner.pid}).`];
  }
}

const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));

function diskSpace(folder: string): Verdict {
  const { bavail, bsize } = statfsSync(nearest(folder));
  const free = `${Math.round((bavail * bsize * 10) / 1024 ** 3) / 10} GiB`;
  return bavail * bsize >= FREE_BYTES_LEAST
    ? [true, `${free} are free.`]
    : [false, `Only ${free} are free where ${folder} lies: make room, or the database will stop.`];
}

async function database(db: Db): Promise<Verdict> {
  const [row] = await db.installation.rows<{ version: string; major: number }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
  );
  const { version = '', major = 0 } = row ?? {};
  return major >= OLDEST_POSTGRES
    ? [true, `PostgreSQL ${version} answers.`]
    : [false, `PostgreSQL ${version} is too old: use ${OLDEST_POSTGRES} or later.`];
}

async function migrations(db: Db): Promise<Verdict> {
  const [applied, files] = [await appliedTo(db), readMigrations()];
  const newer = applied.filter(({ version }) => !files.some((file) => file.version === version));
  if (newer.length > 0)
    return [false, `A newer Atrium applied ${named(newer)}: run that version, or restore a backup made before it.`];
  const changed = files.filter((file) =>
    applied.some(({ version, checksum }) => version === file.version && checksum !== file.checksum),
  );
  if (changed.length > 0)
    return [false, `${named(changed)} differ from what was applied: undo the edit, and put changes into a new file.`];
  const pending = files.filter((file) => !applied.some(({ version }) => version === file.version));
  if (pending.length > 0) return [false, `${named(pending)} are pending: run \`atrium migrate\`, or start Atrium.`];
  return [true, `${files.length} are applied, none was changed since, none is pending.`];
}

const named = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(', ');

async function organisations(db: Db): Promise<Verdict> {
  const { length } = await listOrganisations(db);
  return length > 0 ? [true, `${length} of them.`] : [false, 'There is none: `atrium org create <name>` makes one.'];
}

async function listTotals(db: Db): Promise<Verdict> {
  // With every module; only this check needs them.
  const { lists } = await import('../modules.ts');
  const tables = await db.installation.rows<{ table: string; rows: number }>(
    'select relname as table, reltuples::bigint as rows from pg_class where oid = any($1::regclass[])',
    [lists.map(({ table }) => table)],
  );
  const large = new Set(tables.flatMap(({ table, rows }) => (rows > COUNTED_ROWS_MAX ? table : [])));
  const compared = lists.filter(({ table }) => !large.has(table));
  const wrong: string[] = [];
  for (const { id, name } of await listOrganisations(db))
    for (const list of compared) {
      const buckets = await countWrong(db, id, list);
      if (buckets > 0) wrong.push(`${list.table} of ${name} (${buckets} lists)`);
    }
  const tablesCompared = `${compared.length} of ${lists.length} tables; larger ones are not counted.`;
  if (wrong.length === 0) return [true, `Kept totals equal counted rows in ${tablesCompared}`];
  const advice = 'Please report this; reads show wrong totals until they are rebuilt.';
  return [false, `Kept totals differ from counted rows: ${wrong.join(', ')}. ${advice}`];
}

/** Buckets of a list whose kept total is not the number of its rows; one statement, so one snapshot. */
async function countWrong(db: Db, organisation_id: number, list: Listing): Promise<number> {
  const buckets = await db.inOrganisation(organisation_id).value<number>(sql`
    with sources as (select unnest(array['list_blocks', 'list_totals']) as source),
    kept as (
      select source, bucket, class, sum(n) as n
      from (
        ${classesIn('list_blocks', list)}
        union all
        ${classesIn('list_totals', list)}
        union all
        select source, bucket, class, change from list_changes cross join sources
        where organisation_id = $1 and list = ${list.table}) parts
      group by 1, 2, 3),
    counted as (
      select list_bucket as bucket, list_class::int as class, count(*) as n
      from ${trusted(list.table)} where organisation_id = $1 group by 1, 2),
    stored as (select source, bucket, class, n from counted cross join sources)
    select count(distinct bucket)
    from kept full join stored using (source, bucket, class) where coalesce(kept.n, 0) <> coalesce(stored.n, 0)`);
  return buckets ?? 0;
}

const classesIn = (source: string, list: Listing) => sql`
  select ${literal(source)} as source, b.bucket, (k.class - 1)::int as class, k.n
  from ${trusted(source)} b, unnest(array[c0, c1, c2, c3, c4, c5, c6, c7]) with ordinality as k(n, class)
  where b.organisation_id = $1 and b.list = ${list.table}`;

async function port({ host, port: wanted }: Config): Promise<Verdict> {
  const target = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const answer = await fetch(`http://${target}:${wanted}/healthz`, { signal: AbortSignal.timeout(3000) }).catch(
    () => undefined,
  );
  const text = await answer?.text().catch(() => '');
  if (text === '{"status":"ok"}') return [true, `Atrium serves on ${wanted}.`];
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(wanted, host, () => probe.close(() => resolve(true)));
  });
  return free
    ? [true, `${wanted} is free.`]
    : [false, `${wanted} is taken by another program: stop it, or set ATRIUM_PORT.`];
}

export const doctorCommand: Command = {
  words: 'doctor',
  about: 'Check this installation and say what to do about what is wrong',
  run: examine,
};

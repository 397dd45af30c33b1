import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from './db.ts';

export const migrationsFolder = join(import.meta.dirname, '..', '..', 'migrations');

interface Migration {
  version: number;
  name: string;
  text: string;
  checksum: string;
}

export function readMigrations(folder = migrationsFolder): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort();
  return names.map((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return { version: Number(name.slice(0, 4)), name, text, checksum: createHash('sha256').update(text).digest('hex') };
  });
}

type Applied = Pick<Migration, 'version' | 'name' | 'checksum'>;
const SELECT_APPLIED = 'select version, name, checksum from schema_migrations order by version';

/** Tables that are new, or have new columns, get their triggers: see 0084_audit.sql. */
const AUDIT_TABLES = `do $$ begin
  if to_regprocedure('audit_tables()') is not null then call audit_tables(); end if;
end $$`;

/** Brings the schema forward. Nodes that start together wait for one another; each file is one transaction. */
export async function migrate(db: Db, migrations = readMigrations()): Promise<string[]> {
  // Nearly every start finds nothing to do, and takes no lock.
  if (pendingAfter(await appliedTo(db), migrations).length === 0) return [];
  const client = await db.connect();
  const applied: string[] = [];
  try {
    await client.query('set statement_timeout = 0');
    await client.query(`select pg_advisory_lock(hashtext('atrium migrations'))`);
    await client.query(
      `create table if not exists schema_migrations (
         version integer primary key, name text not null, checksum text not null,
         applied_at timestamptz not null default clock_timestamp())`,
    );
    const { rows } = await client.query<Applied>(SELECT_APPLIED);
    for (const { version, name, text, checksum } of pendingAfter(rows, migrations)) {
      await client.query('begin');
      try {
        await client.query(`set local atrium.origin = 'none'`);
        await client.query(text);
        await client.query(AUDIT_TABLES);
        await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
          version,
          name,
          checksum,
        ]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw new Error(`The migration ${name} failed and was rolled back: ${(error as Error).message}`, {
          cause: error,
        });
      }
      applied.push(name);
    }
    return applied;
  } finally {
    // Closing the connection gives the lock and its settings back.
    client.release(true);
  }
}

export async function pendingMigrations(db: Db): Promise<string[]> {
  return unapplied(await appliedTo(db), readMigrations()).map(({ name }) => name);
}

export async function appliedTo({ installation }: Db): Promise<Applied[]> {
  const [table] = await installation.rows<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  return table?.exists ? installation.rows<Applied>(SELECT_APPLIED) : [];
}

/** Throws when the database has migrations that these files do not have, or have otherwise. */
function pendingAfter(applied: readonly Applied[], migrations: readonly Migration[]): Migration[] {
  for (const row of applied) {
    const file = migrations.find(({ version }) => version === row.version);
    if (!file)
      throw new Error(
        `The database was migrated by a newer Atrium (${row.name}). Start that version, ` +
          'or restore a backup made before it.',
      );
    if (file.checksum !== row.checksum)
      throw new Error(
        `The migration ${row.name} was changed after it was applied. Migrations only move forward: ` +
          'undo the edit and add a new file.',
      );
  }
  return unapplied(applied, migrations);
}

function unapplied(applied: readonly Applied[], migrations: readonly Migration[]): Migration[] {
  const done = new Set(applied.map(({ version }) => version));
  return migrations.filter(({ version }) => !done.has(version));
}

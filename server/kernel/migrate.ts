import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from './db.ts';

export const migrationsFolder = join(import.meta.dirname, '..', 'migrations');

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

/** Brings the schema forward. Nodes that start together wait for one another; each file is one transaction. */
export async function migrate(db: Db, migrations = readMigrations()): Promise<string[]> {
  const client = await db.connect();
  const applied: string[] = [];
  try {
    await client.query('set statement_timeout = 0');
    await client.query(`select pg_advisory_lock(hashtext('atrium migrations'))`);
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default clock_timestamp())',
    );
    const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
      'select version, name, checksum from schema_migrations order by version',
    );
    for (const row of rows) {
      const file = migrations.find(({ version }) => version === row.version);
      if (!file)
        throw new Error(
          `The database was migrated by a newer Atrium (${row.name}). Start that version, or restore a backup made before it.`,
        );
      if (file.checksum !== row.checksum)
        throw new Error(
          `The migration ${row.name} was changed after it was applied. Migrations only move forward: undo the edit and add a new file.`,
        );
    }
    const done = new Set(rows.map(({ version }) => version));
    for (const { version, name, text, checksum } of migrations.filter((migration) => !done.has(migration.version))) {
      await client.query('begin');
      try {
        await client.query(text);
        await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [version, name, checksum]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw new Error(`The migration ${name} failed and was rolled back: ${(error as Error).message}`, { cause: error });
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
  const [table] = await db.installation.rows<{ exists: boolean }>(`select to_regclass('schema_migrations') is not null as exists`);
  if (!table?.exists) return readMigrations().map(({ name }) => name);
  const done = new Set(
    (await db.installation.rows<{ version: number }>('select version from schema_migrations')).map(({ version }) => version),
  );
  return readMigrations()
    .filter(({ version }) => !done.has(version))
    .map(({ name }) => name);
}

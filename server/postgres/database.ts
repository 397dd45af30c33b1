import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Config } from '../kernel/config.ts';
import { DataFolderTaken, lockDataFolder } from './data-lock.ts';
import { closeDataFolder } from './data-permissions.ts';
import { type EmbeddedPostgres, findEmbedded, startEmbedded, unprivilegedUser } from './embedded.ts';

export interface OpenDatabase {
  readonly url: string;
  readonly embedded: EmbeddedPostgres | undefined;
  /** Stops the embedded database if this process started or took it over, and frees the data folder. */
  close(): Promise<void>;
}

const OLDEST = 15;
const SERVER = 'server';

/**
 * For a server: owns the data folder until closed. With a database elsewhere the folder holds only files, which several
 * nodes may share.
 */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  if (!config.database_url) return own(config, SERVER, 'fast');
  mkdirSync(config.data_dir, { recursive: true, mode: 0o700 });
  const embedded = join(config.data_dir, 'postgres');
  // A node that shares the folder may run the embedded database, whose user has to get there.
  closeDataFolder(config.data_dir, existsSync(embedded) ? unprivilegedUser(embedded)?.gid : undefined);
  return elsewhere(config.database_url);
}
const elsewhere = (url: string): OpenDatabase => ({ url, embedded: undefined, close: async () => {} });

const WAITS_MS = 30_000;

/**
 * For a command: the database of a server that runs on this data folder, else the embedded one for as long as the
 * command takes. While a server starts or stops, or another command has the folder to itself, it waits.
 */
export async function borrowDatabase(config: Config, purpose: string): Promise<OpenDatabase> {
  if (config.database_url) {
    await checkVersion(asking(config.database_url));
    return elsewhere(config.database_url);
  }
  const deadline = performance.now() + WAITS_MS;
  for (;;) {
    try {
      return await own(config, purpose, 'smart');
    } catch (error) {
      if (!(error instanceof DataFolderTaken)) throw error;
      // A database that was started for another command stops with it, and takes no new connections from then on.
      const url = error.owner.purpose === SERVER ? await findEmbedded(config.data_dir) : undefined;
      if (url) return { url, embedded: undefined, close: async () => {} };
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** A smart stop waits for whoever else is connected, for example a backup. */
async function own(config: Config, purpose: string, mode: 'fast' | 'smart'): Promise<OpenDatabase> {
  const release = await lockDataFolder(config.data_dir, purpose);
  try {
    closeDataFolder(config.data_dir, unprivilegedUser(config.data_dir)?.gid);
    const embedded = await startEmbedded({ data_dir: config.data_dir, port: config.embedded_port });
    return {
      url: embedded.url,
      embedded,
      async close() {
        await embedded.stop(mode);
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

type Ask = (text: string) => Promise<readonly { version: number }[]>;

/** Throws a sentence for operators when the database does not answer, or is too old. */
export async function checkVersion(ask: Ask): Promise<void> {
  const [found] = await ask(`select current_setting('server_version_num')::int / 10000 as version`).catch((error) => {
    // Connecting to a name with several addresses fails with an AggregateError, whose own message is empty.
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The database does not answer (${message || code}). Check DATABASE_URL, and that the database runs.`,
      { cause: error },
    );
  });
  const version = found?.version ?? 0;
  if (version < OLDEST)
    throw new Error(`DATABASE_URL is a PostgreSQL of version ${version}. Atrium needs ${OLDEST} or later.`);
}

/** On a connection for this one question. */
const asking =
  (url: string): Ask =>
  async (text) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  };

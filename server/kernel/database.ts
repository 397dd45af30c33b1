import type { Config } from './config.ts';
import { lockDataFolder } from './data-lock.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded-postgres.ts';

export interface OpenDatabase {
  url: string;
  embedded: EmbeddedPostgres | undefined;
  /** Stops the embedded database if this process started or took it over, and frees the data folder. */
  close(): Promise<void>;
}

/** For a server: owns the data folder until closed. */
export async function openDatabase(config: Config, purpose: string): Promise<OpenDatabase> {
  const release = await lockDataFolder(config.data_dir, purpose);
  if (config.database_url) return { url: config.database_url, embedded: undefined, close: async () => release() };
  try {
    const embedded = await startEmbedded({ data_dir: config.data_dir, port: config.embedded_port });
    return {
      url: embedded.url,
      embedded,
      close: async () => {
        await embedded.stop();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

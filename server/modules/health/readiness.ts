import { pendingMigrations } from '../../kernel/data/migrate.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { compared, findInstallation } from '../../kernel/installation.ts';
import type { FanOut } from '../../kernel/work/fan-out.ts';

const unknown = { migrations: 'unknown', secret_key: 'unknown', storage: 'unknown' };

/** What this node needs, asked now. Without NATS it serves: others hear of changes when they next look. */
export async function readinessOf(services: Services, fanOut: FanOut) {
  const { db, config } = services;
  const needed = await pendingMigrations(db).then(
    async ({ length }) =>
      length > 0
        ? { database: 'ok', ...unknown, migrations: 'pending' }
        : { database: 'ok', migrations: 'ok', ...(await compared(services, await findInstallation(db))) },
    () => ({ database: 'unreachable', ...unknown }),
  );
  const isReady = Object.values(needed).every((found) => found === 'ok');
  const nats = fanOut.isConnected() ? 'ok' : 'unreachable';
  return {
    isReady,
    status: isReady ? (config.nats_url && nats !== 'ok' ? 'degraded' : 'ready') : 'not_ready',
    checks: { ...needed, ...(config.nats_url ? { nats } : {}) },
  };
}

import type { FastifyInstance } from 'fastify';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { pendingMigrations } from '../../kernel/data/migrate.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Node } from '../../kernel/module.ts';

/**
 * For whatever runs Atrium: is the process up, can it serve, what does it measure?
 * Outside the interface and its envelope.
 */
export function mountHealth(app: FastifyInstance, { db, config }: Services, { metrics }: Node) {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const checks = await db.installation.rows('select 1').then(
      async () => ({ database: 'ok', migrations: (await pendingMigrations(db)).length === 0 ? 'ok' : 'pending' }),
      () => ({ database: 'unreachable', migrations: 'unknown' }),
    );
    const ready = checks.database === 'ok' && checks.migrations === 'ok';
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks });
  });
  app.get('/metrics', async (request, reply) => {
    const loopback = /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
    if (config.metrics === 'off' || (config.metrics === 'loopback' && !loopback)) refuseNotFound();
    const { type, text } = await metrics.text();
    return reply.type(type).send(text);
  });
}

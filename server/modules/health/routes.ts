import type { FastifyInstance } from 'fastify';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Node } from '../../kernel/module.ts';
import { readinessOf } from './readiness.ts';

/**
 * For whatever runs Atrium: is the process up, can it serve, what does it measure?
 * Outside the interface and its envelope.
 */
export function mountHealth(app: FastifyInstance, services: Services, { metrics, fanOut }: Node) {
  const { config } = services;
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const { isReady, ...found } = await readinessOf(services, fanOut);
    return reply.code(isReady ? 200 : 503).send(found);
  });
  app.get('/metrics', async (request, reply) => {
    const loopback = /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
    if (config.metrics === 'off' || (config.metrics === 'loopback' && !loopback)) refuseNotFound();
    const { type, text } = await metrics.text();
    return reply.type(type).send(text);
  });
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../kernel/config.ts';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { isLoopback } from '../../kernel/http/base-url.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Node } from '../../kernel/module.ts';
import { readinessOf } from './readiness.ts';

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];
/** From this machine, and not by way of a proxy that nobody told us to believe. */
function isFromHere({ ip, host, headers }: FastifyRequest, { trust_proxy }: Config) {
  const isForwarded = trust_proxy === 0 && FORWARDED.some((name) => headers[name] !== undefined);
  return /^(::ffff:)?127\.|^::1$/.test(ip) && isLoopback(host) && !isForwarded;
}

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
    if (config.metrics === 'off' || (config.metrics === 'loopback' && !isFromHere(request, config))) refuseNotFound();
    const { type, text } = await metrics.text();
    return reply.type(type).send(text);
  });
}

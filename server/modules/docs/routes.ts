import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Module } from '../../kernel/module.ts';
import { mountGuides } from './guides.ts';
import { openApi } from './openapi.ts';
import { openReference } from './reference.ts';

/** The API document and a page to browse it. Both are made when first asked for: most processes never are. */
export function mountDocs(app: FastifyInstance, modules: readonly Module[]) {
  const document = () => documentOf(modules);
  let text: string | undefined;
  let reference: Promise<FastifyInstance> | undefined;
  const showReference = async (request: FastifyRequest, reply: FastifyReply) => {
    reference ??= openReference(document());
    const { routing } = await reference;
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, String(value));
    reply.hijack();
    routing(request.raw, reply.raw);
  };
  app.get('/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(document());
    return reply.type('application/json').send(text);
  });
  mountGuides(app);
  app.get('/docs', showReference);
  app.get('/docs/*', showReference);
}

export const documentOf = (modules: readonly Module[]) =>
  openApi({
    families: modules.flatMap(({ routes = [] }) => routes.map(({ family }) => family)),
    events: modules.flatMap(({ events = [] }) => events),
    protocols: modules.flatMap(({ protocol }) => protocol ?? []),
  });

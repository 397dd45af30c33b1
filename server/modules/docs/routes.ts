import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { events, modules } from '../../modules.ts';
import { openApi } from './openapi.ts';

const document = openApi(
  modules.map(({ family }) => family),
  events,
);
const text = JSON.stringify(document);

/** The API document and a page to browse it. */
export async function mountDocs(app: FastifyInstance) {
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(text));
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    theme: { title: 'Atrium API', css: [{ filename: 'atrium.css', content: '.swagger-ui .topbar { display: none }' }] },
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'none', tryItOutEnabled: true },
    staticCSP: true,
  });
}

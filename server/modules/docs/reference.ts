// The page that shows the API document and tries its operations.
import Fastify, { type FastifyInstance } from 'fastify';

/** Nothing from elsewhere; the page draws with styles of its own. Plain http stays plain http. */
const policy = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'img-src': "'self' data:",
  'font-src': "'self' data:",
  'object-src': "'none'",
  'style-src': "'self' 'unsafe-inline'",
};

/**
 * The page's plugin wants to be registered before its server is ready,
 * so it gets a server of its own that never listens.
 */
export async function openReference(document: Document): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const reference = Fastify();
  await reference.register(swagger, { mode: 'static', specification: { document: jsonFirst(document) as never } });
  await reference.register(swaggerUi, {
    theme: { title: 'Atrium API', css: [{ filename: 'atrium.css', content: '.swagger-ui .topbar { display: none }' }] },
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'none', tryItOutEnabled: true, showExtensions: true, validatorUrl: null },
    staticCSP: policy,
  });
  await reference.ready();
  return reference;
}

interface Media {
  schema?: object;
  example?: Record<string, unknown>;
}
interface Document {
  components?: { requestBodies?: Record<string, { content: Record<string, Media> }> };
}
/**
 * JSON, which every operation reads, stands first: the page fills forms with a value for every field, JSON with the
 * example as it is.
 */
function jsonFirst(document: Document): Document {
  const bodies = Object.entries(document.components?.requestBodies ?? {}).map(([name, body]) => {
    const { 'application/json': _, ...others } = body.content;
    const [{ schema, example = {} } = {}] = Object.values(body.content);
    if (Object.values(example).some((value) => String(value).startsWith('file:'))) return [name, body];
    return [name, { ...body, content: { 'application/json': { schema, example }, ...others } }];
  });
  return { ...document, components: { ...document.components, requestBodies: Object.fromEntries(bodies) } };
}

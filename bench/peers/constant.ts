// Peer (a): bare Fastify that answers constants of the same size through a response schema.
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const samples = JSON.parse(readFileSync(process.env.SAMPLES ?? '', 'utf8')) as { user: object; pages: object };
const app = Fastify();

app.get(
  '/v1/users/by-external-id/:external_id',
  { schema: { response: { 200: schemaOf(samples.user) } } },
  async () => samples.user,
);
app.get('/v1/pages', { schema: { response: { 200: schemaOf(samples.pages) } } }, async () => samples.pages);

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });

function schemaOf(value: unknown): object {
  if (value === null) return { type: ['string', 'null'] };
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? schemaOf(value[0]) : { type: 'string' } };
  if (typeof value === 'object')
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, schemaOf(each)])),
    };
  return { type: typeof value === 'number' ? 'integer' : typeof value };
}

import type { FastifyInstance } from 'fastify';
import { DOCUMENT_POLICY } from '../../kernel/http/document-page.ts';
import type { Module } from '../../kernel/module.ts';
import { allEntries, changelogRoutes } from './routes.ts';
import { feedOf, pageOf } from './shown.ts';

/** What changed in the interface, of which the others are parts. */
export function changelog(others: readonly Module[]): Module {
  let operations: readonly string[] | undefined;
  const own = changelogRoutes(() => (operations ??= [...Object.keys(own.family.endpoints), ...operationsOf(others)]));
  return { name: 'changelog', routes: [own], mount: mountChangelog };
}

function operationsOf(modules: readonly Module[]): string[] {
  const families = modules.flatMap(({ routes = [] }) => routes.map(({ family }) => family));
  const paths = modules.flatMap(({ protocol }) => Object.values(protocol?.paths(() => ({})) ?? {}));
  const foreign = paths.flatMap((methods) => Object.values(methods) as { operationId?: string }[]);
  return [
    ...families.flatMap(({ endpoints }) => Object.keys(endpoints)),
    ...foreign.flatMap(({ operationId }) => operationId ?? []),
  ];
}

function mountChangelog(app: FastifyInstance) {
  app.get('/changelog', async ({ headers }, reply) => {
    reply.header('vary', 'accept');
    if (headers.accept?.includes('text/html'))
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', DOCUMENT_POLICY)
        .send(await pageOf(allEntries()));
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ changes: allEntries() }));
  });
  app.get('/changelog.atom', async ({ protocol, host }, reply) =>
    reply.type('application/atom+xml; charset=utf-8').send(await feedOf(allEntries(), `${protocol}://${host}`)),
  );
}

// Every address that a person opens in a browser is answered with the same page, which then shows what is there. It
// holds no data: what it shows it asks the API for, as any client does.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Config } from '../../kernel/config.ts';
import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Db } from '../../kernel/data/db.ts';
import { isLoopback } from '../../kernel/http/base-url.ts';
import { preferredEncoding } from '../../kernel/http/compression.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { findAddress } from '../organisations/queries.ts';
import { builtPages } from './build.ts';
import { type PageFile, readFiles } from './files.ts';

/** First parts of the addresses of screens (web/screens.ts). None of them is an address of the API. */
const PLACES = [
  ...['updates', 'kudos', 'articles', 'events', 'spaces', 'pages', 'chat', 'saved', 'directory', 'oauth'],
  'notifications',
  ...['search', 'teams', 'badges', 'goals', 'campaigns', 'livestreams', 'acknowledgements', 'settings', 'org-chart'],
  'documents',
];
const WAIT_MS = 30_000;

export function mountPages(app: FastifyInstance, { config, db }: Pick<Services, 'config' | 'db'>) {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const read = () => {
    files ??= builtPages(app.log)
      .then(readFiles)
      .catch((error) => {
        files = undefined;
        throw error;
      });
    return files;
  };
  app.addHook('onListen', async () => {
    builtPages(app.log).catch((err) => app.log.error({ err }, 'there are no pages'));
  });

  const policy = policyOf(config);
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.headers.accept?.includes('text/html')) refuseNotFound();
    const elsewhere = await otherName(db, request.host);
    if (elsewhere) return reply.redirect(elsewhere + request.url);
    const shell = (await waited(read())).get('index.html') ?? refuseNotFound();
    reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-cache', ...PAGE_HEADERS });
    return send(request, reply, shell);
  };
  for (const path of ['/', ...PLACES.flatMap((place) => [`/${place}`, `/${place}/*`])]) app.get(path, page);
  app.get('/icon.svg', async (request, reply) => {
    const icon = (await waited(read())).get('icon.svg') ?? refuseNotFound();
    return send(request, reply.header('cache-control', 'public, max-age=86400'), icon);
  });
  app.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
    const file = (await waited(read())).get(`assets/${request.params['*']}`) ?? refuseNotFound();
    // The name of a file changes with what is in it.
    return send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), file);
  });
}

/**
 * This machine has several names, of which an organisation has one: cookies, pictures and sign-in are of that one.
 * Where it is, if the page was asked for by another.
 */
async function otherName(db: Db, host: string): Promise<string | undefined> {
  if (!isLoopback(host)) return undefined;
  const { port } = new URL(`http://${host}`);
  const names = ['localhost', '127.0.0.1', '[::1]'].map((name) => (port ? `${name}:${port}` : name));
  const address = await findAddress(db, names, host.toLowerCase());
  return address?.domain === host.toLowerCase() ? undefined : address?.web_url;
}

const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
};

/** Scripts, styles and requests are this server's own; pictures and films may lie in the bucket. */
function policyOf({ s3_endpoint }: Config): string {
  const storage = s3_endpoint ? ` ${new URL(s3_endpoint).origin}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${storage}`,
    `media-src 'self' blob:${storage}`,
    `connect-src 'self'${storage}`,
    "font-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    'frame-src https:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

function send(request: FastifyRequest, reply: FastifyReply, file: PageFile) {
  reply.headers({ etag: file.etag, vary: 'accept, accept-encoding' }).type(file.type);
  if (fresh(request.headers, { etag: file.etag })) return reply.code(304).send();
  const encoding = preferredEncoding(request.headers['accept-encoding']);
  const packed = encoding && file[encoding];
  return packed ? reply.header('content-encoding', encoding).send(packed) : reply.send(file.plain);
}

/** Whoever comes before the first build is done waits for it. */
async function waited<T>(built: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('not in time')), WAIT_MS);
  });
  try {
    return await Promise.race([built, late]);
  } catch {
    return refuse('unavailable', 'The pages are not ready yet. The API is; the reason is in the log of the server.', {
      headers: { 'retry-after': '10' },
    });
  } finally {
    clearTimeout(timer);
  }
}

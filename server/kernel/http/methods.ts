// Requests that no route answers: a 404, or a 405 with `Allow` where the path is mounted with other methods.
import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../contract/contract.ts';
import { refuse, refuseNotFound } from '../contract/errors.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
export const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

declare module 'fastify' {
  interface FastifyInstance {
    /** What `Allow` says of a path; undefined where nothing is mounted. */
    allowedMethods: ((path: string) => string | undefined) | undefined;
  }
}

export type Mounted = Pick<Endpoint, 'method' | 'path'>;

/** What `Allow` says of a request that has a wrong method. Undefined: its path is not mounted at all. */
export function otherMethods(mounted: readonly Mounted[]): (path: string) => string | undefined {
  const patternsOf = () =>
    mounted.map(({ method, path }) => {
      const pattern = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
      return { methods: method === 'GET' ? ['GET', 'HEAD'] : [method], pattern: new RegExp(`^${pattern}/?$`) };
    });
  // The first wrong request makes them, not the start; and to route every wrong method would be most of the start.
  let patterns: ReturnType<typeof patternsOf> | undefined;
  return (path) => {
    patterns ??= patternsOf();
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((found) => found.methods);
    return methods.length > 0 ? [...new Set(methods)].join(', ') : undefined;
  };
}

/** Call when all families are mounted. */
export function refuseTheRest(app: FastifyInstance, mounted: readonly Mounted[]) {
  const allowed = otherMethods(mounted);
  app.allowedMethods = allowed;
  // Before a body is read.
  app.addHook('onRequest', ({ is404, method, url }, _reply, done) => {
    if (!is404) return done();
    const allow = allowed(pathOf(url)) ?? refuseNotFound();
    refuse('method_not_allowed', `${method} is not a method of this path; it has ${allow}.`, { headers: { allow } });
  });
}

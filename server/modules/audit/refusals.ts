import type { FastifyInstance, FastifyRequest } from 'fastify';
import { insertFailedSignIn } from './queries.ts';

const isFailedSignIn = ({ answer }: FastifyRequest) =>
  answer !== undefined && (JSON.parse(answer) as { code?: string }).code === CODE;
const CODE = 'sign_in_failed';

/** Who was refused changes no row. The answer waits for the entry: there is none without it. */
export function mountRefusals(http: FastifyInstance) {
  http.addHook('onSend', (request, reply, payload, done) => {
    const { tx, body } = request;
    const { operation = '' } = request.routeOptions.config;
    if (reply.statusCode < 400 || !tx || !/^(signIn|changePassword)$/.test(operation) || !isFailedSignIn(request))
      return done(null, payload);
    const email = String((body as { email?: unknown } | undefined)?.email ?? '');
    insertFailedSignIn(tx, email, CODE).then(() => done(null, payload), done);
  });
}

import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { hashPassword, randomSecret, sha256, verifyPassword } from '../../kernel/people/secrets.ts';
import { SESSION_COOKIE } from './access.ts';
import { sessions } from './contract.ts';
import * as queries from './queries.ts';

export const sessionRoutes = routes(sessions, {
  async signIn({ tx, body, client, services }) {
    const person = await queries.findSignIn(tx, body.email);
    if (person?.locked)
      refuse('too_many_requests', 'Too many wrong passwords. Try again in 15 minutes.', {
        headers: { 'retry-after': '900' },
      });
    if (!(await verifyPassword(body.password, person?.password_hash)) || !person) {
      if (person) await queries.recordFailedSignIn(tx, person.id);
      return refuse('sign_in_failed', 'The e-mail address or the password is wrong.');
    }
    const secret = randomSecret();
    const signedIn = await queries.insertSession(tx, {
      user_id: person.id,
      secret_sha256: sha256(secret),
      csrf_token: randomSecret(),
      ip_address: client.ip,
      user_agent: client.user_agent,
    });
    if (!signedIn) return refuse('sign_in_failed', 'The e-mail address or the password is wrong.');
    setCookie(
      client,
      `${tx.organisation_id}.${secret}`,
      services.config.session_days * 86_400,
      services.config.env === 'production',
    );
    return signedIn;
  },
  getCurrentSession: async ({ tx, actor }) => (await queries.getSignedIn(tx, actor.credential_id)) ?? refuseNotFound(),
  listSessions: ({ tx, actor, query }) =>
    queries.listSessions(tx, actor.user_id, actor.credential_id, query.skip, query.take),
  async signOut({ tx, actor, client, services }) {
    const ended = await queries.deleteSession(tx, actor.user_id, actor.credential_id);
    setCookie(client, '', 0, services.config.env === 'production');
    return ended ?? refuseNotFound();
  },
  endSession: async ({ tx, actor, params }) =>
    (await queries.deleteSession(tx, actor.user_id, params.id)) ?? refuseNotFound(),
  async changePassword({ tx, actor, body }) {
    if (!(await verifyPassword(body.current_password, await queries.getPasswordHash(tx, actor.user_id))))
      refuse('sign_in_failed', 'The current password is wrong.', { path: 'current_password' });
    const hash = await hashPassword(body.new_password);
    return tx.transaction(async (inside) => {
      await queries.updatePassword(inside, actor.user_id, hash);
      await queries.endSessions(inside, [actor.user_id], actor.credential_id);
      return toJson({ id: actor.credential_id });
    });
  },
});

const setCookie = (client: Call['client'], value: string, maxAge: number, secure: boolean) =>
  client.setCookie(SESSION_COOKIE, value, { path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge });

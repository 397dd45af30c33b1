import type { Config } from '../../kernel/config.ts';
import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { hashPassword, randomSecret, sha256, verifyPassword } from '../../kernel/people/secrets.ts';
import { findSignIn, getPasswordHash, recordFailedSignIn, updatePassword } from '../users/passwords.ts';
import { SESSION_COOKIE } from './access.ts';
import { sessions } from './contract.ts';
import * as queries from './queries.ts';

export const sessionRoutes = routes(sessions, {
  async signIn({ tx, body, client, services }) {
    const refuseSignIn = () => refuse('sign_in_failed', 'The e-mail address or the password is wrong.');
    const person = await findSignIn(tx, body.email);
    if (person?.is_locked)
      refuse('too_many_requests', 'Too many wrong passwords. Try again in 15 minutes.', {
        headers: { 'retry-after': '900' },
      });
    if (!(await verifyPassword(body.password, person?.password_hash)) || !person) {
      if (person) await recordFailedSignIn(tx, person.id);
      return refuseSignIn();
    }
    const secret = randomSecret();
    const signedIn = await queries.insertSession(tx, {
      user_id: person.id,
      secret_sha256: sha256(secret),
      csrf_token: randomSecret(),
      ip_address: client.ip,
      user_agent: client.user_agent,
    });
    if (!signedIn) return refuseSignIn();
    setCookie(client, services.config, `${tx.organisation_id}.${secret}`, services.config.session_days * 86_400);
    return signedIn;
  },
  getCurrentSession: async ({ tx, actor }) => (await queries.getSignedIn(tx, actor.credential_id)) ?? refuseNotFound(),
  listSessions: ({ tx, actor, query }) => queries.listSessions(tx, actor.user_id, actor.credential_id, query),
  async signOut({ tx, actor, client, services }) {
    const ended = await queries.deleteSession(tx, actor.user_id, actor.credential_id);
    setCookie(client, services.config, '', 0);
    return ended ?? refuseNotFound();
  },
  endSession: async ({ tx, actor, params }) =>
    (await queries.deleteSession(tx, actor.user_id, params.id)) ?? refuseNotFound(),
  async changePassword({ tx, actor, body }) {
    if (!(await verifyPassword(body.current_password, await getPasswordHash(tx, actor.user_id))))
      refuse('sign_in_failed', 'The current password is wrong.', { path: 'current_password' });
    const hash = await hashPassword(body.new_password);
    return tx.transaction(async (inside) => {
      await updatePassword(inside, actor.user_id, hash);
      await queries.endSessions(inside, [actor.user_id], actor.credential_id);
      return toJson({ id: actor.credential_id });
    });
  },
});

const setCookie = (client: Call['client'], { env }: Config, value: string, maxAge: number) => {
  const secure = env === 'production';
  client.setCookie(SESSION_COOKIE, value, { path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge });
};

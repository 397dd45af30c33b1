import type { Config } from '../../kernel/config.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Client, routes } from '../../kernel/http/routes.ts';
import { hashPassword, randomSecret, sha256, verifyPassword } from '../../kernel/people/secrets.ts';
import { weaknessOf } from '../users/password-rules.ts';
import { getPassword, updatePassword } from '../users/passwords.ts';
import { csrfTokenOf, refuseForeignPage, SESSION_COOKIE, secretIn } from './access.ts';
import * as attempts from './attempts.ts';
import { sessions } from './contract.ts';
import { readDevice, rememberAccount } from './devices.ts';
import { endPasscodes, hmacOf, issuePasscode, newPasscode } from './passcodes.ts';
import * as queries from './queries.ts';
import { refuseUnlessProof, signInWithPasscode, signInWithPassword } from './signing-in.ts';

export const sessionRoutes = routes(sessions, {
  async signIn({ tx, body, client, services }) {
    await refuseForeignPage(tx, client);
    const account = attempts.accountOf(body.email);
    const device = readDevice(tx, client, services);
    const isKnown = device.accounts.includes(account);
    const limits = isKnown
      ? attempts.limitsOfDevice(account, device.id)
      : attempts.limitsOfStranger(account, client.ip);
    await refuseUnlessProof(body);
    await refuseTooMany(tx, limits);
    const secret = randomSecret();
    const session = {
      secret_sha256: sha256(secret),
      csrf_token: csrfTokenOf(secret),
      ip_address: client.ip,
      user_agent: client.user_agent,
    };
    const signedIn = await (body.one_time_passcode === undefined
      ? signInWithPassword(tx, body, session)
      : signInWithPasscode(tx, body, session, services));
    await attempts.giveBack(tx, limits);
    setCookie(client, services.config, `${tx.organisation_id}.${secret}`, services.config.session_days_max * 86_400);
    rememberAccount(tx, client, services, device, account);
    return signedIn;
  },
  async issuePasscode({ tx, body, services }) {
    const code = newPasscode();
    const issued = (await issuePasscode(tx, body.email, hmacOf(services.sealing, tx, code))) ?? refuseNotFound();
    if (!issued.is_allowed)
      return refuse('passcode_not_allowed', 'Provisioning allows no passcodes for this person.', { path: 'email' });
    if (issued.wait_s !== null) return refuseMoreTries('passcodes for this person', issued.wait_s);
    const { id: service_user_id, email, expires_at, login_url } = issued;
    const { organisation_id } = tx;
    return {
      data: toJson({ one_time_passcode: code, expires_at, email, service_user_id, organisation_id, login_url }),
      meta: {},
      beside: { message: 'The passcode is good for one sign-in, which sets a new password.' },
    };
  },
  getCurrentSession: async ({ tx, actor, client }) =>
    (await queries.getSignedIn(tx, actor.credential_id, csrfTokenOf(secretIn(client)))) ?? refuseNotFound(),
  listSessions: ({ tx, actor, query }) => queries.listSessions(tx, actor.user_id, actor.credential_id, query),
  async signOut({ tx, actor, client, services }) {
    const ended = await queries.deleteSession(tx, actor.user_id, actor.credential_id);
    setCookie(client, services.config, '', 0);
    return ended ?? refuseNotFound();
  },
  endSession: async ({ tx, actor, params }) =>
    (await queries.deleteSession(tx, actor.user_id, params.id)) ?? refuseNotFound(),
  async changePassword({ tx, actor, body }) {
    const { email, password_hash } = await getPassword(tx, actor.user_id);
    const weakness = await weaknessOf(body.new_password, email);
    if (weakness) refuseInvalid('new_password', weakness);
    const limits = attempts.limitsOfPerson(actor.user_id);
    await refuseTooMany(tx, limits);
    if (!(await verifyPassword(body.current_password, password_hash)))
      refuse('sign_in_failed', 'The current password is wrong.', { path: 'current_password' });
    const hash = await hashPassword(body.new_password);
    return tx.transaction(async (inside) => {
      await attempts.giveBack(inside, limits);
      await updatePassword(inside, actor.user_id, hash);
      await endPasscodes(inside, [actor.user_id]);
      await queries.endSessions(inside, [actor.user_id], actor.credential_id);
      return toJson({ id: actor.credential_id });
    });
  },
});

async function refuseTooMany(tx: Tx, limits: readonly attempts.Limit[]) {
  const wait_s = await attempts.countAttempt(tx, limits);
  if (wait_s) refuseMoreTries('wrong passwords', wait_s);
}
const refuseMoreTries = (what: string, wait_s: number) =>
  refuse('too_many_requests', `Too many ${what}. Try again in ${Math.ceil(wait_s / 60)} minutes.`, {
    headers: { 'retry-after': String(wait_s) },
  });

const setCookie = (client: Client, { env }: Config, value: string, maxAge: number) => {
  const secure = env === 'production';
  client.setCookie(SESSION_COOKIE, value, { path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge });
};

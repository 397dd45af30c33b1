// What a bot is told: the employee's message as JSON, and a JWT that says who sends it, to whom, and of which body.
import { createHash, randomUUID } from 'node:crypto';
import type { Tx } from '../../kernel/data/db.ts';
import { trusted } from '../../kernel/data/sql.ts';
import type { Destination } from '../../kernel/delivery/destination.ts';
import { loggedHeaders, type Outgoing, send, type Withheld } from '../../kernel/delivery/send.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { type CallbackFacts, factsOf, findTrial } from './callback-queries.ts';
import { type SigningKey, signingKey } from './keys.ts';

const EXPIRES_SECONDS = 300;

/** A destination of kernel/delivery; the target is the bot. */
export const botCallbacks: Destination = {
  deliveries: 'bot_callbacks',
  log: 'bot_callback_attempts',
  targets: 'bots',
  target_id: 'bot_id',
  open: trusted('o.active and o.deleted_at is null and o.bot_callback_url is not null'),
  async prepare(tx, claimed, services) {
    const key = await signingKey(tx, services.sealing);
    const attempts = new Map(claimed.map(({ id, attempt_shown }) => [id, attempt_shown]));
    const prepared = new Map<number, Outgoing | Withheld>();
    for (const facts of await factsOf(tx, [...attempts.keys()])) {
      const outgoing = () => callbackOf(facts, attempts.get(facts.id) ?? 1, key, services);
      prepared.set(facts.id, facts.visible ? await outgoing() : { withheld: 'not_visible' });
    }
    return prepared;
  },
};

export async function callbackOf(
  facts: CallbackFacts,
  attempt: number,
  { kid, key }: SigningKey,
  { clock, config }: Services,
): Promise<Outgoing> {
  const { SignJWT } = await import('jose');
  const at = clock.micros();
  const now = Math.floor(at / 1e6);
  const body = JSON.stringify(
    facts.action === 'chat_bot_message_sent' ? documented(facts, attempt, now) : engineLevel(facts),
  );
  const jwt = await new SignJWT({
    publicKeyUrl: `${facts.web_url}/.well-known/jwks.json`,
    body_sha256: createHash('sha256').update(body).digest('hex'),
  })
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
    .setIssuer(facts.web_url)
    .setAudience(facts.bot_userid)
    .setSubject(String(facts.user_id))
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + EXPIRES_SECONDS)
    .setJti(randomUUID())
    .sign(key);
  // Without its signature a token says all that a reader of the log wants, and opens nothing.
  const unsigned = `${jwt.slice(0, jwt.lastIndexOf('.'))}.…`;
  const names = [...new Set(['x-service-jwt', `x-${config.brand.toLowerCase()}-jwt`])];
  const tokens = (token: string) => Object.fromEntries(names.map((name) => [name, token]));
  const headers = { 'content-type': 'application/json', 'user-agent': 'Atrium-Bots/1', ...tokens(jwt) };
  return { at, url: facts.bot_callback_url, headers, masked: tokens(unsigned), body };
}

/** docs/interface.md, Callback of a bot. */
const documented = (facts: CallbackFacts, attempt: number, timestamp: number) => {
  const message = facts.files.length > 0 ? null : facts.text;
  return {
    action: 'chat_bot_message_sent',
    message: {
      message_type: facts.type,
      bot_userid: facts.bot_userid,
      channel_url: facts.channel_url,
      message,
      user_id: facts.user_id,
      user_email: facts.user_email,
      ...(facts.files.length > 0 ? { files: facts.files } : {}),
      message_id: facts.message_id,
      text: message,
    },
    meta: { id: facts.event_id, attempt, timestamp },
  };
};

/** What bots of the older, engine-level kind read. */
const engineLevel = (facts: CallbackFacts) => ({
  category: 'bot_message_notification',
  app_id: String(facts.organisation_id),
  ts: facts.created_ms,
  bot: { bot_userid: facts.bot_userid, bot_nickname: facts.bot_nickname },
  sender: { user_id: facts.user_id, nickname: facts.user_name },
  message: { message_id: facts.message_id, text: facts.text, created_at: facts.created_ms, files: facts.files },
  channel: { channel_url: facts.channel_url, channel_type: facts.channel_type },
  mentioned: [],
});

/** One request, and what came back. */
interface Exchange {
  callback: { url: string; headers: Record<string, string>; body: unknown };
  jwt: { header: unknown; payload: unknown };
  answer: { status: number | null; failure: string | null; body: string; latency_ms: number };
}
export interface Trial extends Exchange {
  /** The same in the engine-level form, when the bot asks for that too. */
  engine_callback: Exchange | null;
  message_id: number;
}
/** Sends what the bot would get as if the person had written this, now and once. Nothing of it is stored. */
export async function tryCallback(
  tx: Tx,
  services: Services,
  bot_id: number,
  user_id: number,
  text: string,
): Promise<Trial | undefined> {
  const facts = await findTrial(tx, bot_id, user_id, text);
  if (!facts) return undefined;
  const key = await signingKey(tx, services.sealing);
  const documented = await exchange(facts, key, services);
  const engine = { ...facts, action: 'bot_message_notification' } as const;
  const engine_callback = facts.engine_callback ? await exchange(engine, key, services) : null;
  return { ...documented, engine_callback, message_id: facts.message_id };
}
async function exchange(facts: CallbackFacts, key: SigningKey, services: Services): Promise<Exchange> {
  const outgoing = await callbackOf(facts, 1, key, services);
  const { answer: body, ...answer } = await send(services.egress, outgoing);
  const { decodeJwt, decodeProtectedHeader } = await import('jose');
  const jwt = outgoing.headers['x-service-jwt'] ?? '';
  return {
    callback: { url: outgoing.url, headers: loggedHeaders(outgoing), body: JSON.parse(String(outgoing.body)) },
    jwt: { header: decodeProtectedHeader(jwt), payload: decodeJwt(jwt) },
    answer: { ...answer, body: body ?? '' },
  };
}

// Web Push (RFC 8030): each notification is encrypted for its browser (RFC 8291), signed for the organisation (RFC 8292)
// and handed to the browser's push service through the guard that every configured address goes through.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../kernel/db.ts';
import { EgressFailure } from '../../kernel/egress.ts';
import { job, queued } from '../../kernel/jobs.ts';
import type { Services } from '../../kernel/routes.ts';
import type { Sealing } from '../../kernel/sealing.ts';
import { sql, trusted } from '../../kernel/sql.ts';
import { belongs } from '../chat/access.ts';
import { dropSubscription, findVapidKey, insertVapidKey, type Notice, noticesOf, PUSH_MESSAGE } from './queries.ts';

const AT_ONCE = 50;
/** Jobs take turns: what is not answered by then goes on beside the next ones, and is lost when the node ends. */
const PATIENCE_MS = 2000;
/** A push service that does not answer is asked again so often; who missed it all still finds the message unread. */
const RETRIES_MAX = 3;
const RETRY_MINUTES = 1;
/** What the push service does with it while the browser is away. */
const KEPT_SECONDS = 4 * 3600;
const GONE = new Set([404, 410]);

interface VapidPair {
  publicKey: string;
  privateKey: string;
}
interface Payload {
  message_id: number;
  /** A subscription that is tried again. */
  subscription_id?: number;
  retries?: number;
}

/** Subscriptions that something is being sent to, so that a push service which hangs holds one request of each at most. */
const waiting = new Set<number>();

export const pushMessage = job<Payload>(PUSH_MESSAGE, async (tx, payload, services) => {
  const { message_id, subscription_id } = payload;
  const notices = await noticesOf(tx, message_id, belongs(trusted('u.id')), subscription_id);
  if (notices.length === 0) return;
  const key = await vapidKey(tx, services.sealing);
  await Promise.race([sendAll(tx, services, payload, notices, key), sleep(PATIENCE_MS, undefined, { ref: false })]);
});

async function sendAll(
  tx: Tx,
  services: Services,
  { message_id, retries = 0 }: Payload,
  notices: readonly Notice[],
  key: VapidPair,
): Promise<void> {
  const failed: number[] = [];
  const mine = new Set<number>();
  for (const { subscription_id } of notices) {
    if (waiting.has(subscription_id)) failed.push(subscription_id);
    else mine.add(subscription_id);
    waiting.add(subscription_id);
  }
  const release = (subscription_id: number) => mine.delete(subscription_id) && waiting.delete(subscription_id);
  const send = async (notice: Notice) => {
    const done = await notify(tx, services, notice, key).finally(() => release(notice.subscription_id));
    if (!done) failed.push(notice.subscription_id);
  };
  const free = notices.filter(({ subscription_id }) => mine.has(subscription_id));
  try {
    for (let at = 0; at < free.length; at += AT_ONCE) await Promise.all(free.slice(at, at + AT_ONCE).map(send));
  } finally {
    for (const subscription_id of [...mine]) release(subscription_id);
  }
  if (retries < RETRIES_MAX && failed.length > 0) await queueRetries(tx, message_id, failed, retries + 1);
}

const queueRetries = (tx: Tx, message_id: number, subscription_ids: readonly number[], retries: number) =>
  tx.rows(
    queued(
      pushMessage,
      sql`(select jsonb_build_object('message_id', ${message_id}::bigint, 'subscription_id', s, 'retries', ${retries}::int) as payload,
        ${tx.now()}::timestamptz + make_interval(mins => ${RETRY_MINUTES}) as run_at from unnest(${subscription_ids}::bigint[]) s)`,
    ),
  );

/** False: worth another try. */
async function notify(tx: Tx, { egress }: Services, notice: Notice, key: VapidPair): Promise<boolean> {
  const { default: webPush } = await import('web-push');
  const { subscription_id, endpoint, p256dh, auth, domain, channel_url, ...shown } = notice;
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify({ ...shown, channel_url, tag: channel_url }),
    { vapidDetails: { subject: `mailto:push@${domain}`, ...key }, TTL: KEPT_SECONDS, contentEncoding: 'aes128gcm' },
  );
  const { 'Content-Length': _length, ...sent } = headers as Record<string, string>;
  try {
    const { status } = await egress.send({ method: 'POST', url: endpoint, headers: sent, body, answer_bytes_max: 1024 });
    if (GONE.has(status)) await dropSubscription(tx, subscription_id);
    return status < 500 && status !== 429;
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
    return error.kind === 'refused_address';
  }
}

/** The organisation's key pair; made when it is first needed. */
export async function vapidKey(tx: Tx, sealing: Sealing): Promise<VapidPair> {
  const purpose = `vapid key ${tx.organisation_id}`;
  const found = await findVapidKey(tx);
  if (found) return { publicKey: found.public_key, privateKey: sealing.open(purpose, found.private_key_sealed) };
  const { default: webPush } = await import('web-push');
  const made = webPush.generateVAPIDKeys();
  await insertVapidKey(tx, { public_key: made.publicKey, private_key_sealed: sealing.seal(purpose, made.privateKey) });
  return vapidKey(tx, sealing);
}

// Web Push (RFC 8030): each notification is encrypted for its browser (RFC 8291), signed for the organisation (RFC 8292)
// and handed to the browser's push service through the guard that every configured address goes through.
import type { Tx } from '../../kernel/db.ts';
import { EgressFailure } from '../../kernel/egress.ts';
import { job, queued } from '../../kernel/jobs.ts';
import type { Services } from '../../kernel/routes.ts';
import type { Sealing } from '../../kernel/sealing.ts';
import { sql, trusted } from '../../kernel/sql.ts';
import { belongs } from '../chat/access.ts';
import { dropSubscription, findVapidKey, insertVapidKey, type Notice, noticesOf, PUSH_MESSAGE } from './queries.ts';

const AT_ONCE = 20;
/** A push service that does not answer is asked again so often; who missed it all still finds the message unread. */
const RETRIES_MAX = 3;
const RETRY_MINUTES = 1;
/** What the push service does with it while the browser is away. */
const KEPT_SECONDS = 4 * 3600;
const GONE = new Set([404, 410]);

interface Payload {
  message_id: number;
  /** A subscription that is tried again. */
  subscription_id?: number;
  retries?: number;
}

export const pushMessage = job<Payload>(PUSH_MESSAGE, async (tx, payload, services) => {
  const { message_id, subscription_id, retries = 0 } = payload;
  const notices = await noticesOf(tx, message_id, belongs(trusted('u.id')), subscription_id);
  if (notices.length === 0) return;
  const key = await vapidKey(tx, services.sealing);
  const failed: number[] = [];
  const send = async (notice: Notice) => {
    if (!(await notify(tx, services, notice, key))) failed.push(notice.subscription_id);
  };
  for (let at = 0; at < notices.length; at += AT_ONCE) await Promise.all(notices.slice(at, at + AT_ONCE).map(send));
  if (retries < RETRIES_MAX && failed.length > 0) await queueRetries(tx, message_id, failed, retries + 1);
});

const queueRetries = (tx: Tx, message_id: number, subscription_ids: readonly number[], retries: number) =>
  tx.rows(
    queued(
      pushMessage,
      sql`(select jsonb_build_object('message_id', ${message_id}::bigint, 'subscription_id', s, 'retries', ${retries}::int) as payload,
        ${tx.now()}::timestamptz + make_interval(mins => ${RETRY_MINUTES}) as run_at from unnest(${subscription_ids}::bigint[]) s)`,
    ),
  );

/** False: worth another try. */
async function notify(tx: Tx, { egress }: Services, notice: Notice, key: { publicKey: string; privateKey: string }): Promise<boolean> {
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
export async function vapidKey(tx: Tx, sealing: Sealing): Promise<{ publicKey: string; privateKey: string }> {
  const purpose = `vapid key ${tx.organisation_id}`;
  const found = await findVapidKey(tx);
  if (found) return { publicKey: found.public_key, privateKey: sealing.open(purpose, found.private_key_sealed) };
  const { default: webPush } = await import('web-push');
  const made = webPush.generateVAPIDKeys();
  await insertVapidKey(tx, { public_key: made.publicKey, private_key_sealed: sealing.seal(purpose, made.privateKey) });
  return vapidKey(tx, sealing);
}

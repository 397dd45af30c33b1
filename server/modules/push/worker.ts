// Web Push (RFC 8030): each notification is encrypted for its browser (RFC 8291), signed for the organisation (RFC 8292)
// and handed to the browser's push service through the guard that every configured address goes through.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Sealing } from '../../kernel/people/sealing.ts';
import { type Job, job, queued } from '../../kernel/work/jobs.ts';
import { belongs } from '../chat/access.ts';
import {
  dropSubscription,
  findVapidKey,
  insertVapidKey,
  type Note,
  type Notice,
  noticesOf,
  noticesOfNote,
  PUSH_MESSAGE,
  PUSH_NOTE,
} from './queries.ts';

const AT_ONCE = 50;
/** Jobs take turns: what is not answered by then goes on beside the next ones, and is lost when the node ends. */
const PATIENCE_MS = 2000;
/** A push service that does not answer is asked again so often; who missed it all still finds the message unread. */
const RETRIES_MAX = 3;
const RETRY_MINUTES = 1;
/** A note waits for the end of quiet hours, which is looked for so often. */
const QUIET_MINUTES = 15;
/** What the push service does with it while the browser is away. */
const KEPT_SECONDS = 4 * 3600;
const GONE = new Set([404, 410]);

interface VapidPair {
  publicKey: string;
  privateKey: string;
}
/** Of a job for one subscription that is tried again. */
interface Again {
  subscription_id?: number;
  retries?: number;
}

/** Subscriptions that something is being sent to, so that a push service which hangs holds one request of each at most. */
const waiting = new Set<number>();

export const pushMessage = job<{ message_id: number } & Again>(PUSH_MESSAGE, async (tx, payload, services) => {
  const notices = await noticesOf(tx, payload.message_id, belongs(trusted('u.id')), payload.subscription_id);
  await sendWithin(tx, services, pushMessage, payload, notices);
});

export const pushNote = job<Note & Again>(PUSH_NOTE, async (tx, payload, services) => {
  const found = await noticesOfNote(tx, payload, payload.subscription_id);
  if (found.some(({ quiet }) => quiet)) return void (await queueAgain(tx, pushNote, [payload], QUIET_MINUTES));
  const notices = found.map(({ quiet: _, ...notice }) => notice);
  await sendWithin(tx, services, pushNote, payload, notices);
});

async function sendWithin(
  tx: Tx,
  services: Services,
  again: Job<never>,
  payload: Again,
  notices: readonly Notice[],
): Promise<void> {
  if (notices.length === 0) return;
  const key = await vapidKey(tx, services.sealing);
  await Promise.race([
    sendAll(tx, services, again, payload, notices, key),
    sleep(PATIENCE_MS, undefined, { ref: false }),
  ]);
}

async function sendAll(
  tx: Tx,
  services: Services,
  again: Job<never>,
  payload: Again,
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
  const retries = (payload.retries ?? 0) + 1;
  if (retries > RETRIES_MAX) return;
  const payloads = failed.map((subscription_id) => ({ ...payload, subscription_id, retries }));
  if (payloads.length > 0) await queueAgain(tx, again, payloads, RETRY_MINUTES);
}

const queueAgain = (tx: Tx, again: Job<never>, payloads: readonly Again[], minutes: number) =>
  tx.rows(
    queued(
      again,
      sql`(select payload, ${tx.now()}::timestamptz + make_interval(mins => ${minutes}) as run_at from jsonb_array_elements(${JSON.stringify(payloads)}::jsonb) payload)`,
    ),
  );

/** False: worth another try. */
async function notify(tx: Tx, { egress }: Services, notice: Notice, key: VapidPair): Promise<boolean> {
  const { default: webPush } = await import('web-push');
  const { subscription_id, endpoint, p256dh, auth, domain, ...shown } = notice;
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(shown),
    {
      vapidDetails: { subject: `mailto:push@${domain}`, ...key },
      TTL: KEPT_SECONDS,
      contentEncoding: 'aes128gcm',
    },
  );
  const { 'Content-Length': _length, ...sent } = headers as Record<string, string>;
  try {
    const { status } = await egress.send({
      method: 'POST',
      url: endpoint,
      headers: sent,
      body,
      answer_bytes_max: 1024,
    });
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

// Each notification is encrypted for its browser (RFC 8291), signed for the organisation (RFC 8292) and handed to the
// browser's push service (RFC 8030) through the guard that every configured address goes through.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { type VapidKey, vapidKey } from './keys.ts';
import { dropSubscription } from './queries.ts';

/** A notification for one browser. */
export interface Addressed {
  readonly subscription_id: number;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** The organisation's, for push services that have something to say to it. */
  readonly domain: string;
  readonly shown: Json;
}

const AT_ONCE = 50;
/** What the push service does with it while the browser is away. */
const KEPT_SECONDS = 4 * 3600;
const GONE = new Set([404, 410]);
/** Subscriptions that something is being sent to: a push service which hangs holds one request of each at most. */
const busy = new Set<number>();

/** Returns the subscriptions that are worth another try. */
export async function sendAll(tx: Tx, services: Services, all: readonly Addressed[]): Promise<number[]> {
  if (all.length === 0) return [];
  const key = await vapidKey(tx, services.sealing);
  const failed: number[] = [];
  const sendOne = async (one: Addressed) => {
    const { subscription_id } = one;
    if (busy.has(subscription_id)) return void failed.push(subscription_id);
    busy.add(subscription_id);
    const isDone = await send(tx, services, one, key).finally(() => busy.delete(subscription_id));
    if (!isDone) failed.push(subscription_id);
  };
  for (let at = 0; at < all.length; at += AT_ONCE) await Promise.all(all.slice(at, at + AT_ONCE).map(sendOne));
  return failed;
}

/** False: worth another try. */
async function send(tx: Tx, { egress }: Services, one: Addressed, key: VapidKey): Promise<boolean> {
  const { default: webPush } = await import('web-push');
  const { subscription_id, endpoint, p256dh, auth, domain, shown } = one;
  const vapidDetails = { subject: `mailto:push@${domain}`, ...key };
  const options = { vapidDetails, TTL: KEPT_SECONDS, contentEncoding: 'aes128gcm' } as const;
  const request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, shown, options);
  const { 'Content-Length': _length, ...headers } = request.headers as Record<string, string>;
  try {
    const { body } = request;
    const { status } = await egress.send({ method: 'POST', url: endpoint, headers, body, answer_bytes_max: 1024 });
    if (GONE.has(status)) await dropSubscription(tx, subscription_id);
    return status < 500 && status !== 429;
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
    return error.kind === 'refused_address';
  }
}

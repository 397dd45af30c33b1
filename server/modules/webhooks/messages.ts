// What a subscription is sent of an event: the request, with signature and token, or the reason why there is none.
import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../kernel/data/db.ts';
import type { Outgoing, Withheld } from '../../kernel/delivery/send.ts';
import type { Visibility } from '../../kernel/delivery/visibility.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Content } from './batches.ts';
import { MASK } from './contract.ts';
import type { Target } from './queries.ts';
import { findHidden } from './readers.ts';
import { openSecret } from './secrets.ts';
import { signatures, signingKeyOf } from './signing.ts';
import { authoriserOf } from './tokens.ts';

export const USER_AGENT = 'Atrium-Webhooks/1';

/** Whoever made the subscription may not read it. */
export const NOT_READABLE = 'not_readable';

interface Wanted {
  target: Target;
  content: Content;
  attempt: number;
}
/** One for each; a request is made when it is sent. */
export async function messagesOf(tx: Tx, services: Services, visibility: Visibility, wanted: readonly Wanted[]) {
  const hidden = await findHidden(tx, visibility, wanted);
  const targets = [...new Set(wanted.map(({ target }) => target))];
  const opened = new Map(targets.map((target) => [target, openTarget(tx, services, target)]));
  const contents = [...new Set(wanted.map(({ content }) => content))];
  const bodies = new Map(contents.map((content) => [content, bodiesOf(content)]));
  return wanted.map(({ target, content, attempt }): (() => Outgoing) | Withheld => {
    if (hidden.get(target)?.has(content))
      return { withheld: target.content_scope === 'public' ? 'not_public' : NOT_READABLE };
    const open = opened.get(target) as OpenTarget | Withheld;
    if ('withheld' in open) return open;
    const bodyAt = bodies.get(content) as BodyAt;
    return () => requestOf(open, content.event_id, attempt, bodyAt, services.clock.micros());
  });
}

interface OpenTarget extends Pick<Outgoing, 'url' | 'headers' | 'masked'> {
  keys: readonly KeyObject[];
  /** For each delivery anew: it remembers which token it was sent with. */
  authoriser?: () => Outgoing['authorise'];
}
/** Once for all deliveries of a moment. It may be sealed with another key than this node has. */
function openTarget(tx: Tx, services: Services, target: Target): OpenTarget | Withheld {
  const open = (sealed: string) => openSecret(services.sealing, tx.organisation_id, sealed);
  try {
    const headers = JSON.parse(open(target.custom_headers_sealed)) as Record<string, string>;
    const masked = Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
    const secrets = [target.signing_secret_sealed, target.former_secret_sealed].filter((sealed) => sealed !== null);
    const opened = { url: target.url, headers, masked, keys: secrets.map((sealed) => signingKeyOf(open(sealed))) };
    if (target.authentication_type === 'none') return opened;
    const client = {
      key: `${tx.organisation_id}:${target.id}`,
      version: target.version,
      login_url: target.login_url ?? '',
      client_id: target.client_id ?? '',
      client_secret: open(target.client_secret_sealed ?? ''),
      form_params: JSON.parse(target.form_params_sealed === null ? '{}' : open(target.form_params_sealed)),
    };
    masked.authorization = `Bearer ${MASK}`;
    return { ...opened, authoriser: () => authoriserOf(services, client) };
  } catch {
    return { withheld: 'secret_unreadable' };
  }
}

/** Whether this node can open its secrets. */
export const isReadable = (tx: Tx, services: Services, target: Target) =>
  !('withheld' in openTarget(tx, services, target));

type BodyAt = (timestamp: number, attempt: number) => Uint8Array;
/** The same bytes for every subscription within a second. */
function bodiesOf(content: Content): BodyAt {
  let made = { timestamp: 0, bytes: Buffer.from('') };
  return (timestamp, attempt) => {
    if (made.timestamp !== timestamp)
      made = { timestamp, bytes: Buffer.from(bodyOf({ ...content, attempt, timestamp })) };
    return made.bytes;
  };
}

function requestOf(open: OpenTarget, event_id: string, attempt: number, bodyAt: BodyAt, at: number): Outgoing {
  const timestamp = Math.floor(at / 1e6);
  const body = bodyAt(timestamp, attempt);
  const headers = {
    ...open.headers,
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures(open.keys, { id: event_id, timestamp, body }),
  };
  return { at, url: open.url, headers, body, masked: open.masked, authorise: open.authoriser?.() };
}

type Sent = Pick<Content, 'action' | 'payload' | 'event_id'> & { attempt: number; timestamp: number };
/** Exactly what is sent. The payload is not parsed: it goes out as it was written. */
export const bodyOf = ({ action, payload, event_id, attempt, timestamp }: Sent) =>
  `{"action":${JSON.stringify(action)},${(payload ?? '{}').trim().slice(1, -1)},` +
  `"meta":${JSON.stringify({ id: event_id, attempt, timestamp })}}`;

import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Outgoing, Withheld } from '../../kernel/delivery/attempt.ts';
import type { Batch, EventBatches, First } from '../../kernel/delivery/first-attempts.ts';
import type { Destination } from '../../kernel/delivery/outgoing.ts';
import type { Visibility } from '../../kernel/delivery/visibility.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { type Content, claimBatch, findBatchContents, findContents, giveBackBatch, writeBatch } from './batches.ts';
import { MASK } from './contract.ts';
import { findTargets, suspendFailing, type Target, updateFailing, updateRecovered } from './queries.ts';
import { openSecret } from './secrets.ts';
import { signatures, signingKeyOf } from './signing.ts';
import { createTokens } from './tokens.ts';

export const USER_AGENT = 'Atrium-Webhooks/1';

export const webhookTables = {
  deliveries: 'webhook_deliveries',
  log: 'webhook_attempts',
  targets: 'webhooks',
  target_id: 'webhook_id',
} as const;

const tokensOfNode = new WeakMap<Services, ReturnType<typeof createTokens>>();
function tokensOf(services: Services) {
  const known = tokensOfNode.get(services) ?? createTokens(services.egress, services.clock);
  tokensOfNode.set(services, known);
  return known;
}

/** `listener`: the temporary subscription of a command, which nobody else sends to. */
export function webhookDestination(visibility: Visibility, listener?: number): Destination {
  const batches: EventBatches = {
    claim: claimBatch,
    giveBack: giveBackBatch,
    write: writeBatch,
    prepare: (tx, batch, services) => firstsOf(tx, visibility, batch, services),
  };
  return {
    ...webhookTables,
    open: (): Sql =>
      listener === undefined ? trusted('o.active and o.listened_until is null') : sql`o.id = ${listener}`,
    ...(listener === undefined ? { batches } : {}),
    async prepare(tx, claimed, services) {
      const [targets, found] = await Promise.all([
        findTargets(tx, [...new Set(claimed.map(({ target_id }) => target_id))]),
        findContents(
          tx,
          claimed.map(({ id }) => id),
        ),
      ]);
      const contents = new Map(found.map((content) => [content.id, content]));
      const asked = claimed.flatMap(({ id, target_id }) =>
        targets.get(target_id)?.content_scope === 'public'
          ? [contents.get(id)].filter((content) => content !== undefined)
          : [],
      );
      const hidden = await findHidden(tx, visibility, asked);
      const opened = new Map([...targets].map(([id, target]) => [id, openTarget(tx, services, target)]));
      const prepared = new Map<number, Outgoing | Withheld>();
      for (const row of claimed) {
        const [target, content] = [opened.get(row.target_id), contents.get(row.id)];
        if (!target || content?.payload == null) continue;
        if (targets.get(row.target_id)?.content_scope === 'public' && hidden.has(row.id))
          prepared.set(row.id, { withheld: 'not_public' });
        else if (target === 'unreadable') prepared.set(row.id, { withheld: 'secret_unreadable' });
        else prepared.set(row.id, outgoingOf(target, textsOf(content, row.attempt_shown), services.clock.micros()));
      }
      return prepared;
    },
    async settled(tx, { delivered, failed }, { config }, logger) {
      if (delivered.length > 0) await updateRecovered(tx, delivered);
      if (failed.length === 0) return;
      await updateFailing(tx, failed);
      for (const { id, name, created_by } of await suspendFailing(tx, failed, config.webhook_suspend_hours))
        logger.warn(
          { organisation_id: tx.organisation_id, webhook_id: id, name, created_by },
          'a failing webhook was suspended',
        );
    },
  };
}

/** Every event of a batch for every subscription that wants it. */
async function firstsOf(tx: Tx, visibility: Visibility, { id, attempt }: Batch, services: Services): Promise<First[]> {
  const [targets, contents] = await Promise.all([findTargets(tx), findBatchContents(tx, id)]);
  contents.sort((one, other) => one.id - other.id);
  const pairs = contents.map((content) => ({
    content,
    wanted: [...targets.values()].filter((target) => wants(target, content)),
  }));
  const hidden = await findHidden(
    tx,
    visibility,
    pairs.flatMap(({ content, wanted }) =>
      wanted.some(({ content_scope }) => content_scope === 'public') ? [content] : [],
    ),
  );
  const opened = new Map(
    [...targets].map(([id, target]) => [id, target.open ? openTarget(tx, services, target) : 'due']),
  );
  return pairs.flatMap(({ content, wanted }) => {
    const texts = textsOf(content, attempt);
    return wanted.map(({ id: target_id, content_scope }): First => {
      const target = opened.get(target_id) as OpenTarget | 'unreadable' | 'due';
      const outgoing =
        target === 'due'
          ? target
          : content_scope === 'public' && hidden.has(content.id)
            ? { withheld: 'not_public' }
            : target === 'unreadable'
              ? { withheld: 'secret_unreadable' }
              : () => outgoingOf(target, texts, services.clock.micros());
      return { target_id, outbox_id: content.id, outgoing };
    });
  });
}

/** A subscription hears nothing from before it was made. */
const wants = ({ events, content_scope, created_at }: Target, content: Content) =>
  events.includes(content.action) && (content_scope === 'all' || content.is_public) && created_at <= content.created_at;

/** Of what public subscriptions want, that which may not go to them now. What was deleted was public when it was. */
async function findHidden(tx: Tx, visibility: Visibility, asked: readonly Content[]): Promise<ReadonlySet<number>> {
  const hidden = new Set<number>();
  const changing = asked.filter(({ action, is_sample }) => !is_sample && !action.endsWith('.deleted'));
  for (const [noun = '', contents = []] of Object.entries(
    Object.groupBy(changing, ({ action }) => action.split('.')[0] ?? ''),
  )) {
    const rule = visibility[noun];
    if (rule === 'always') continue;
    const shown = rule
      ? await tx.rows<{ id: number }>(
          rule(sql`${[...new Set(contents.map(({ resource_id }) => resource_id ?? 0))]}::bigint[]`),
        )
      : [];
    const visible = new Set(shown.map(({ id }) => id));
    for (const { id, resource_id } of contents) if (!visible.has(resource_id ?? 0)) hidden.add(id);
  }
  return hidden;
}

interface OpenTarget {
  url: string;
  keys: readonly KeyObject[];
  headers: Readonly<Record<string, string>>;
  masked: Readonly<Record<string, string>>;
  /** For each delivery anew: it remembers which token it was sent with. */
  authorisation?: () => NonNullable<Outgoing['authorise']>;
}

/** Once for all deliveries of a batch. `unreadable`: sealed with another key than this node has. */
function openTarget(tx: Tx, services: Services, target: Target): OpenTarget | 'unreadable' {
  const open = (sealed: string) => openSecret(services.sealing, tx.organisation_id, sealed);
  try {
    const headers = JSON.parse(open(target.custom_headers_sealed)) as Record<string, string>;
    const masked = Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
    const sealed = [
      target.signing_secret_sealed,
      ...(target.former_secret_sealed === null ? [] : [target.former_secret_sealed]),
    ];
    const opened = { url: target.url, keys: sealed.map((secret) => signingKeyOf(open(secret))), headers, masked };
    if (target.authentication_type === 'none') return opened;
    const client = {
      key: `${tx.organisation_id}:${target.id}`,
      version: target.version,
      login_url: target.login_url ?? '',
      client_id: target.client_id ?? '',
      client_secret: open(target.client_secret_sealed ?? ''),
      form_params: JSON.parse(target.form_params_sealed === null ? '{}' : open(target.form_params_sealed)),
    };
    return {
      ...opened,
      masked: { ...masked, authorization: `Bearer ${MASK}` },
      authorisation: () => tokensOf(services)(client),
    };
  } catch {
    return 'unreadable';
  }
}

interface Texts {
  event_id: string;
  /** The same bytes for every subscription within a second. */
  body(timestamp: number): Uint8Array;
}
function textsOf({ action, payload, event_id }: Content, attempt: number): Texts {
  let made: { timestamp: number; bytes: Uint8Array } | undefined;
  const body = (timestamp: number) => {
    if (made?.timestamp !== timestamp)
      made = {
        timestamp,
        bytes: Buffer.from(bodyOf({ action, payload: payload ?? '{}', event_id, attempt, timestamp })),
      };
    return made.bytes;
  };
  return { event_id, body };
}

function outgoingOf(
  { url, keys, headers, masked, authorisation }: OpenTarget,
  { event_id, body }: Texts,
  at: number,
): Outgoing {
  const timestamp = Math.floor(at / 1e6);
  const bytes = body(timestamp);
  return {
    at,
    url,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': event_id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(keys, { id: event_id, timestamp, body: bytes }),
    },
    body: bytes,
    masked,
    ...(authorisation ? { authorise: authorisation() } : {}),
  };
}

interface Body {
  action: string;
  /** JSON text of an object with the event's resources. */
  payload: string;
  event_id: string;
  attempt: number;
  timestamp: number;
}
/** Exactly what is sent. The payload is not parsed: it goes out as it was written. */
export const bodyOf = ({ action, payload, event_id, attempt, timestamp }: Body) =>
  `{"action":${JSON.stringify(action)},${payload.trim().slice(1, -1)},"meta":${JSON.stringify({ id: event_id, attempt, timestamp })}}`;

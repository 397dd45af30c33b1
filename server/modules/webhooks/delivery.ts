import type { Tx } from '../../kernel/db.ts';
import type { Claimed } from '../../kernel/deliveries.ts';
import type { Destination, Outgoing, Withheld } from '../../kernel/outgoing.ts';
import type { Services } from '../../kernel/routes.ts';
import { type Sql, sql, trusted } from '../../kernel/sql.ts';
import type { Visibility } from '../../kernel/visibility.ts';
import { MASK } from './contract.ts';
import { suspendFailing, updateFailing, updateRecovered } from './queries.ts';
import { openSecret } from './secrets.ts';
import { signatures } from './signing.ts';
import { createTokens } from './tokens.ts';

export const USER_AGENT = 'Atrium-Webhooks/1';

interface Target {
  id: number;
  url: string;
  authentication_type: 'none' | 'oauth2';
  login_url: string | null;
  client_id: string | null;
  client_secret_sealed: string | null;
  form_params_sealed: string | null;
  custom_headers_sealed: string;
  content_scope: 'public' | 'all';
  signing_secret_sealed: string;
  former_secret_sealed: string | null;
  failing: boolean;
  version: string;
}
/** Of one event, for all its deliveries in a batch. */
interface Content {
  ids: readonly number[];
  payload: string | null;
  resource_id: number | null;
  is_sample: boolean;
}

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
  return {
    ...webhookTables,
    open: (): Sql => (listener === undefined ? trusted('o.active and o.listened_until is null') : sql`o.id = ${listener}`),
    async prepare(tx, claimed, services) {
      const [targets, contents] = await Promise.all([findTargets(tx, claimed), findContents(tx, claimed)]);
      const hidden = await findHidden(tx, visibility, claimed, targets, contents);
      const prepared = new Map<number, Outgoing | Withheld>();
      const at = services.clock.now();
      const opened = new Map([...targets].map(([id, target]) => [id, openTarget(tx, services, target)]));
      for (const row of claimed) {
        const target = opened.get(row.target_id);
        const payload = contents.get(row.id)?.payload;
        if (!target || payload == null) continue;
        if (hidden.has(row.id)) prepared.set(row.id, { withheld: 'not_public' });
        else if (target === 'unreadable') prepared.set(row.id, { withheld: 'secret_unreadable' });
        else prepared.set(row.id, outgoingOf(target, row, payload, at));
      }
      return prepared;
    },
    async settled(tx, { recovered, failed }, { config }, logger) {
      if (recovered.length > 0) await updateRecovered(tx, recovered);
      if (failed.length === 0) return;
      await updateFailing(tx, failed);
      for (const { id, name, created_by } of await suspendFailing(tx, failed, config.webhook_suspend_hours))
        logger.warn({ organisation_id: tx.organisation_id, webhook_id: id, name, created_by }, 'a failing webhook was suspended');
    },
  };
}

const findTargets = async (tx: Tx, claimed: readonly Claimed[]) => {
  const rows = await tx.rows<Target>(sql`
    select id, url, authentication_type, login_url, client_id, client_secret_sealed, form_params_sealed, custom_headers_sealed, content_scope, signing_secret_sealed,
      case when former_secret_until > ${tx.now()}::timestamptz then former_secret_sealed end as former_secret_sealed, failing_since is not null as failing, iso(updated_at) as version
    from webhooks where organisation_id = $1 and id = any(${[...new Set(claimed.map(({ target_id }) => target_id))]}::bigint[])`);
  return new Map(rows.map((row) => [row.id, row]));
};

const findContents = async (tx: Tx, claimed: readonly Claimed[]) => {
  const rows = await tx.rows<Content>(sql`
    select d.ids, coalesce(d.sample, o.payload::text) as payload, (o.payload -> split_part(o.action, '.', 1) ->> 'id')::bigint as resource_id, d.sample is not null as is_sample
    from (
      select array_agg(id) as ids, outbox_id, payload::text as sample from webhook_deliveries
      where organisation_id = $1 and id = any(${claimed.map(({ id }) => id)}::bigint[]) group by outbox_id, payload::text) d
    left join outbox o on o.organisation_id = $1 and o.id = d.outbox_id`);
  return new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)));
};

/** Deliveries whose content may not go to a subscription of scope `public` now. What was deleted was public when it was. */
async function findHidden(
  tx: Tx,
  visibility: Visibility,
  claimed: readonly Claimed[],
  targets: ReadonlyMap<number, Target>,
  contents: ReadonlyMap<number, Content>,
): Promise<ReadonlySet<number>> {
  const asked = claimed.filter(
    ({ id, target_id, action }) =>
      targets.get(target_id)?.content_scope === 'public' && !contents.get(id)?.is_sample && !action.endsWith('.deleted'),
  );
  const hidden = new Set<number>();
  for (const [noun = '', rows = []] of Object.entries(Object.groupBy(asked, ({ action }) => action.split('.')[0] ?? ''))) {
    const rule = visibility[noun];
    if (rule === 'always') continue;
    const idOf = ({ id }: Claimed) => contents.get(id)?.resource_id ?? 0;
    const shown = rule ? await tx.rows<{ id: number }>(rule(sql`${[...new Set(rows.map(idOf))]}::bigint[]`)) : [];
    const visible = new Set(shown.map(({ id }) => id));
    for (const row of rows) if (!visible.has(idOf(row))) hidden.add(row.id);
  }
  return hidden;
}

interface OpenTarget {
  url: string;
  failing: boolean;
  secrets: readonly string[];
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
    const secrets = [target.signing_secret_sealed, target.former_secret_sealed].flatMap((sealed) =>
      sealed === null ? [] : [open(sealed)],
    );
    const opened = { url: target.url, failing: target.failing, secrets, headers, masked };
    if (target.authentication_type === 'none') return opened;
    const client = {
      key: `${tx.organisation_id}:${target.id}`,
      version: target.version,
      login_url: target.login_url ?? '',
      client_id: target.client_id ?? '',
      client_secret: open(target.client_secret_sealed ?? ''),
      form_params: JSON.parse(target.form_params_sealed === null ? '{}' : open(target.form_params_sealed)),
    };
    return { ...opened, masked: { ...masked, authorization: `Bearer ${MASK}` }, authorisation: () => tokensOf(services)(client) };
  } catch {
    return 'unreadable';
  }
}

function outgoingOf(
  { url, failing, secrets, headers, masked, authorisation }: OpenTarget,
  { event_id, action, attempt_shown }: Claimed,
  payload: string,
  at: string,
): Outgoing {
  const timestamp = secondsOf(at);
  const body = bodyOf({ action, payload, event_id, attempt: attempt_shown, timestamp });
  const standard = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures(secrets, { id: event_id, timestamp, body }),
  };
  return {
    at,
    url,
    headers: { ...headers, ...standard },
    body,
    logged_headers: { ...masked, ...standard },
    failing,
    ...(authorisation ? { authorise: authorisation() } : {}),
  };
}

export const secondsOf = (at: string) => Math.floor(Date.parse(at) / 1000);

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

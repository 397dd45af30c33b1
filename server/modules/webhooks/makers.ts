// A subscription is a credential: it reads what whoever made it may read, and ends with the key that made it.
import { refuse } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Event } from '../../kernel/delivery/outbox.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds, scopeFamilies } from '../../kernel/people/scopes.ts';
import { mustAsk, refuseUnlessHeld, refuseUnlessPending, tell } from '../apps/approvals.ts';
import type { WebhookRow } from './access.ts';
import { decideWebhook, lockWebhook, type Maker } from './queries.ts';

type Wanted = Pick<WebhookRow, 'name' | 'events' | 'content_scope'>;
/** Events of an article need `articles.*.read`. */
const scopesOf = (events: readonly string[]): string[] => {
  const nouns = new Set(events.map((action) => action.split('.', 1)[0]));
  const families = scopeFamilies.all.filter(({ name }) => nouns.has(name) || nouns.has(name.replace(/s$/, '')));
  return families.map(({ name }) => `${name}.*.read`);
};
const isSensitive = ({ events, content_scope }: Wanted, declared: ReadonlyMap<string, Event>) =>
  content_scope === 'all' || events.some((action) => declared.get(action)?.isSensitive);

/** Refuses a subscription to what the actor cannot read. */
export function makerOf(actor: Actor, wanted: Wanted, declared: ReadonlyMap<string, Event>): Maker {
  const missing = scopesOf(wanted.events).filter((scope) => !holds(actor.scopes, scope));
  if (missing.length > 0)
    refuse('forbidden', `You cannot subscribe to what you may not read: ${missing.join(', ')}.`, {
      path: 'events',
      meta: { required_scopes: missing },
    });
  return {
    status: mustAsk(actor) && isSensitive(wanted, declared) ? 'pending' : 'active',
    scopes: actor.kind === 'key' ? actor.scopes : null,
    key_id: actor.kind === 'session' ? null : actor.credential_id,
    created_by: actor.user_id,
  };
}

export async function askAdmins(tx: Tx, id: number, { name, events, content_scope }: Wanted) {
  const body = `${name} asks for ${content_scope === 'all' ? 'all content of ' : ''}${events.join(', ')}.`;
  await tell(tx, { to: 'admins', title: 'A webhook waits for you', body: body.slice(0, 500), tag: `webhook-${id}` });
}

export const decide = (tx: Tx, actor: Actor, id: number, status: 'active' | 'refused') =>
  tx.transaction(async (inside) => {
    const webhook = await lockWebhook(inside, id);
    if (!webhook) return undefined;
    refuseUnlessPending(webhook.status);
    const everything = webhook.content_scope === 'all' ? ['spaces.*.read'] : [];
    if (status === 'active') refuseUnlessHeld(actor, [...scopesOf(webhook.events), ...everything]);
    const done = status === 'active' ? 'was approved' : 'was refused';
    const body = `The subscription ${webhook.name} ${done}.`;
    if (webhook.created_by !== null)
      await tell(inside, { to: webhook.created_by, title: 'Webhook', body, tag: `webhook-${id}` });
    return decideWebhook(inside, id, status, actor.user_id);
  });

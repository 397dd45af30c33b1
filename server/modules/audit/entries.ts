// Entries from changes: all changes of one request are one entry, and so are those of one transaction that had no
// request. Its object is what the request's path speaks of, else what was changed first.

import { isoOfMicros } from '../../kernel/clock.ts';
import type { Asked } from '../../kernel/http/origin.ts';

/** A row of audit_changes. */
export interface Change {
  readonly id: number;
  readonly transaction_id: string;
  readonly origin: string;
  readonly table_name: string;
  readonly change: 'insert' | 'update' | 'delete' | 'more' | 'event';
  readonly key: Readonly<Record<string, unknown>>;
  readonly before: Values | null;
  readonly after: Values | null;
}
export type Values = Readonly<Record<string, unknown>>;

export interface Changed {
  readonly type: string;
  readonly id: number | null;
  /** Where it has no id of its own. */
  readonly key: Values | null;
  readonly change: 'created' | 'changed' | 'deleted' | 'more' | 'none';
  readonly before: Values | null;
  readonly after: Values | null;
}
export interface Actor {
  readonly type: 'person' | 'app' | 'program' | 'provisioning' | 'system' | 'unknown';
  readonly id: number | null;
}
export interface Entry extends Changed {
  readonly at: string;
  readonly action: string;
  readonly request_id: string | null;
  readonly actor: Actor;
  /** The person for whom an app or a program acted. */
  readonly on_behalf_of: number | null;
  readonly credential: { readonly type: string; readonly id: number } | null;
  /** What else was changed. */
  readonly others: readonly Changed[];
  readonly ip: string | null;
  readonly user_agent: string | null;
}

/** Of which app a key is, and which program a person has granted something. */
export interface Owners {
  readonly key: ReadonlyMap<number, number>;
  readonly grant: ReadonlyMap<number, number>;
}

interface Group {
  readonly asked: Asked;
  readonly changes: Change[];
}
/** In the order of their first change. */
export function grouped(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const asked = askedOf(change.origin);
    const name = asked.request_id ?? `transaction ${change.transaction_id}`;
    const group = groups.get(name) ?? { asked, changes: [] };
    group.changes.push(change);
    groups.set(name, group);
  }
  return [...groups.values()];
}
/** What has no origin in JSON names the program that was connected: Atrium itself, or somebody's own. */
const askedOf = (origin: string): Asked =>
  origin.startsWith('{')
    ? (JSON.parse(origin) as Asked)
    : { action: origin.startsWith('atrium node ') ? 'upkeep' : origin || 'direct' };

export function entryOf({ asked, changes }: Group, owners: Owners, now: string): Entry {
  const main = changes.find(({ table_name }) => isNamed(table_name, asked.noun)) ?? (changes[0] as Change);
  const session = changes.find(({ table_name, change }) => table_name === 'sessions' && change === 'insert');
  return {
    at: asked.at === undefined ? now : isoOfMicros(asked.at),
    action: asked.action,
    request_id: asked.request_id ?? null,
    ...(asked.kind === undefined && session ? signedIn(session) : whoOf(asked, owners)),
    ...changedOf(main),
    others: atMost(changes.filter((one) => one !== main)),
    ip: asked.ip ?? null,
    user_agent: asked.user_agent ?? null,
  };
}

const OTHERS_MAX = 50;
/** By an entry that a bulk operation makes nobody should be held up: what is beyond is counted, for each type. */
function atMost(changes: readonly Change[]): Changed[] {
  const beyond = Map.groupBy(changes.slice(OTHERS_MAX), ({ table_name }) => table_name);
  const counts = [...beyond].map(([table, list]): Changed => {
    const rows = list.reduce((sum, { change, key }) => sum + (change === 'more' ? Number(key.rows) : 1), 0);
    return { type: typeOf(table), id: null, key: { rows }, change: 'more', before: null, after: null };
  });
  return [...changes.slice(0, OTHERS_MAX).map(changedOf), ...counts];
}

type Who = Pick<Entry, 'actor' | 'on_behalf_of' | 'credential'>;
const signedIn = ({ key, after }: Change): Who => ({
  actor: { type: 'person', id: Number(after?.user_id) },
  on_behalf_of: null,
  credential: { type: 'session', id: Number(key.id) },
});
function whoOf({ kind, credential_id, user_id, request_id }: Asked, owners: Owners): Who {
  const person = user_id ?? null;
  const none = { on_behalf_of: null, credential: null };
  if (kind === undefined || credential_id === undefined)
    return { ...none, actor: { type: request_id === undefined ? 'system' : 'unknown', id: null } };
  const credential = { type: kind, id: credential_id };
  if (kind === 'scim') return { ...none, actor: { type: 'provisioning', id: credential_id }, credential };
  if (kind === 'session' || kind === 'personal_key')
    return { ...none, actor: { type: 'person', id: person }, credential };
  if (kind === 'grant')
    return {
      actor: { type: 'program', id: owners.grant.get(credential_id) ?? null },
      on_behalf_of: person,
      credential,
    };
  const app = kind === 'key' ? (owners.key.get(credential_id) ?? null) : credential_id;
  return { actor: { type: 'app', id: app }, on_behalf_of: kind === 'jwt' ? person : null, credential };
}

const words: Readonly<Record<Change['change'], Changed['change']>> = {
  insert: 'created',
  update: 'changed',
  delete: 'deleted',
  more: 'more',
  event: 'none',
};
function changedOf({ table_name, change, key, before, after }: Change): Changed {
  const { id, ...rest } = key;
  const hasId = typeof id === 'number';
  return {
    type: typeOf(table_name),
    id: hasId ? id : null,
    key: !hasId && Object.keys(rest).length > 0 ? rest : null,
    change: words[change],
    before,
    after,
  };
}

/** `space_categories` -> `space_category`. */
export const typeOf = (table: string) =>
  table === 'kudos' ? table : table.endsWith('ies') ? `${table.slice(0, -3)}y` : table.replace(/s$/, '');
const isNamed = (table: string, noun = '') => table === noun.replaceAll('-', '_');

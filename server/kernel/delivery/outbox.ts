// An event is a row written in the same commit as the change. Who reads it later is not the writer's business.
import type { TProperties, TSchema } from 'typebox';
import type { Tx } from '../data/db.ts';
import { literal, type Sql, sql, trusted } from '../data/sql.ts';
import { extensionPoint } from '../module.ts';

export interface Event {
  /** `noun.past`, as the interface names it. */
  readonly action: string;
  readonly summary: string;
  /** The payload's keys beside `meta`. */
  readonly payload: Readonly<Record<string, TSchema>>;
  /** An admin approves who is told. */
  readonly isSensitive?: true;
}

export const event = (
  action: string,
  summary: string,
  payload: TProperties,
  more?: Pick<Event, 'isSensitive'>,
): Event => ({
  action,
  summary,
  payload,
  ...more,
});

/**
 * Body of a CTE that writes one outbox row for each row of `source`, which has the columns `json` (the resource of
 * the payload's first key), one named after each further key, `is_public` (everybody in the organisation may see it
 * now) and `space_id` (or null).
 */
export const emitted = (declared: Event, source: string | Sql, now: string): Sql => sql`
  insert into outbox (organisation_id, action, payload, is_public, space_id, created_at)
  select $1, ${literal(declared.action)}, json_build_object(${trusted(resourcesOf(declared))}), e.is_public, e.space_id,
    ${now}::timestamptz
  from ${typeof source === 'string' ? trusted(source) : source} as e`;

const resourcesOf = ({ payload }: Event) =>
  Object.keys(payload)
    .map((key, n) => `'${key}', e.${n === 0 ? 'json' : `"${key}"`}`)
    .join(', ');

/** Who is told of events, by their ids: for dry runs. */
export const hearers =
  extensionPoint<(tx: Tx, outbox_ids: readonly number[]) => Promise<readonly ({ outbox_id: number } & Hearer)[]>>();
export interface Hearer {
  readonly webhook_id: number;
  readonly name: string;
}
export interface EventOfTransaction {
  readonly action: string;
  /** As it would be sent, without `meta`. */
  readonly payload: unknown;
  readonly told: readonly Hearer[];
}

/** What this transaction has emitted so far, and who would be told of it. */
export async function eventsOf(tx: Tx): Promise<EventOfTransaction[]> {
  const events = await tx.rows<{ id: number; action: string; payload: string }>(sql`
    select id, action, payload::text as payload from outbox
    where organisation_id = $1 and xmin = pg_current_xact_id()::xid order by id`);
  const ids = events.map(({ id }) => id);
  const told = (await Promise.all(hearers.all.map((heard) => heard(tx, ids)))).flat();
  return events.map(({ id, action, payload }) => ({
    action,
    payload: JSON.parse(payload),
    told: told.filter(({ outbox_id }) => outbox_id === id).map(({ outbox_id, ...hearer }) => hearer),
  }));
}

/** Hands events on: writes rows of its own for those it wants, in the transaction that marks them as relayed. */
export type Relay = (tx: Tx, outbox_ids: readonly number[]) => Promise<unknown>;

const RELAYED_AT_ONCE = 500;

/**
 * Every event reaches every relay exactly once: mark and rows are one commit, and no two workers hold the same event.
 */
export async function relayOutbox(tx: Tx, relays: readonly Relay[]): Promise<number> {
  const unrelayed = (count: number) => sql`
    select id from outbox where organisation_id = $1 and relayed_at is null order by id limit ${count}`;
  if (!(await tx.any(unrelayed(1)))) return 0;
  return tx.transaction(async (inside) => {
    const ids = await inside.values<number>(sql`
      update outbox set relayed_at = ${inside.now()}
      where organisation_id = $1 and id = any (array(${unrelayed(RELAYED_AT_ONCE)} for update skip locked))
      returning id`);
    if (ids.length > 0) for (const relay of relays) await relay(inside, ids);
    return ids.length;
  });
}

// What happened waits here until the worker has told people of it: happenings that modules say, and events of the
// outbox. A notice is written in the commit of what happened, and goes in the commit that tells people.
import type { Tx } from '../../kernel/data/db.ts';
import { literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Relay } from '../../kernel/delivery/outbox.ts';
import { contentNouns } from '../content/contract.ts';
import type { Happening } from '../users/happenings.ts';

export interface Notice {
  id: number;
  kind: Happening['kind'] | 'published' | 'badge';
  noun: string | null;
  thing_id: number;
  actor_id: number | null;
  user_ids: number[] | null;
  created_at: string;
}
/** A notice that fails so often is left for somebody to look at. */
const ATTEMPTS_MAX = 10;
/** Said when there are notices that no request of this moment has announced. */
export const DUE = 'notifications.due';

export const insertNotice = (tx: Tx, { kind, noun, thing_id, actor_id, user_ids }: Happening) =>
  tx.rows(sql`
    insert into notices (organisation_id, kind, noun, thing_id, actor_id, user_ids, created_at)
    values ($1, ${kind}, ${noun ?? null}, ${thing_id}, ${actor_id}, ${user_ids ?? null}::bigint[], ${tx.now()})`);

const published = trusted(
  contentNouns.map((noun) => `('${noun}', '${noun}.${noun === 'page' ? 'created' : 'published'}')`).join(', '),
);
/** New content, events that go with their space, and badges. */
export const relayToNotices: Relay = async (tx, outbox_ids) => {
  const isAny = await tx.any(sql`
    with happened as (
      select o.id, 'published' as kind, p.noun, (o.payload -> p.noun ->> 'id')::bigint as thing_id,
        null::bigint[] as user_ids, o.created_at
      from outbox o join (values ${published}, ('event', 'event.updated')) p(noun, action) using (action)
      where o.organisation_id = $1 and o.id = any(${outbox_ids}::bigint[])
      union all
      select o.id, 'badge', null, (o.payload -> 'badge' ->> 'id')::bigint,
        array[(o.payload -> 'user' ->> 'id')::bigint], o.created_at
      from outbox o
      where o.organisation_id = $1 and o.id = any(${outbox_ids}::bigint[]) and o.action = 'badge.assigned')
    insert into notices (organisation_id, kind, noun, thing_id, user_ids, created_at)
    select $1, h.kind, h.noun, h.thing_id, h.user_ids, h.created_at from happened h order by h.id returning id`);
  if (isAny) tx.tell(DUE, 0);
};

/** Takes the next notice away, for this transaction alone. */
export const takeNotice = (tx: Tx) =>
  tx.row<Notice>(sql`
    delete from notices where organisation_id = $1 and id = (
      select id from notices where organisation_id = $1 and attempts < ${literal(ATTEMPTS_MAX)}
      order by attempts, id limit 1 for update skip locked)
    returning id, kind, noun, thing_id, actor_id, user_ids, iso(created_at) as created_at`);
/** It comes after all others from now on. */
export const countAttempt = (tx: Tx, id: number) =>
  tx.rows(sql`update notices set attempts = attempts + 1 where organisation_id = $1 and id = ${id}`);
/** Scalar: when there is something to tell. */
export const due: Sql = sql`(
  select min(created_at) from notices where organisation_id = $1 and attempts < ${literal(ATTEMPTS_MAX)})`;

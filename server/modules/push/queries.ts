import type { Static } from 'typebox';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import type { PushSettings, push } from './contract.ts';

const subscriptionsList: Listing = { table: 'push_subscriptions', at: null, id: 'id', newestFirst: false };
const shown = trusted(`json_build_object(
  'id', s.id, 'endpoint', s.endpoint, 'user_agent', s.user_agent, 'created_at', iso(s.created_at))::text as json`);
export const listSubscriptions = (tx: Tx, user_id: number, skip: number, take: number) =>
  listRows(
    tx,
    subscriptionsList,
    { skip, take, ...everyRow, where: [sql`t.user_id = ${user_id}`] },
    sql`select ${shown} from push_subscriptions s where s.organisation_id = $1 and s.id = listed.id`,
  );
export const countSubscriptions = async (tx: Tx, user_id: number) =>
  (await tx.value<number>(sql`
    select count(*) from push_subscriptions where organisation_id = $1 and user_id = ${user_id}`)) ?? 0;

type NewSubscription = Static<typeof push.endpoints.createPushSubscription.body>;
/** Undefined: the person lost access in between. */
export const upsertSubscription = (tx: Tx, user_id: number, { endpoint, keys }: NewSubscription, user_agent: string) =>
  tx.json(sql`
    with s as (
      insert into push_subscriptions (
        organisation_id, user_id, endpoint, endpoint_sha256, p256dh, auth, user_agent, created_at)
      select $1, u.id, ${endpoint}, ${sha256(endpoint)}, ${keys.p256dh}, ${keys.auth}, left(${user_agent}, 512),
        ${tx.now()}::timestamptz
      from users u where u.organisation_id = $1 and u.id = ${user_id} and u.is_active and u.has_access for share of u
      on conflict (organisation_id, endpoint_sha256) do update
      set (user_id, p256dh, auth, user_agent) = (excluded.user_id, excluded.p256dh, excluded.auth, excluded.user_agent)
      returning *)
    select ${shown} from s`);
export const deleteSubscription = (tx: Tx, user_id: number, id: number) =>
  tx.json(sql`
    delete from push_subscriptions where organisation_id = $1 and user_id = ${user_id} and id = ${id}
    returning json_build_object('id', id)::text as json`);
/** The browser is gone. */
export const dropSubscription = (tx: Tx, id: number) =>
  tx.rows(sql`delete from push_subscriptions where organisation_id = $1 and id = ${id}`);
/** Every one of these people, at once. Returns how many. */
export const endSubscriptions = async (tx: Tx, user_ids: readonly number[]) =>
  (
    await tx.rows(sql`
    delete from push_subscriptions where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) returning id`)
  ).length;

// ---- Settings ----------------------------------------------------------------------------------------------------

const shownSettings = trusted(`json_build_object(
  'from_people', coalesce(p.from_people, true), 'from_bots', coalesce(p.from_bots, true),
  'quiet_from', to_char(p.quiet_from, 'HH24:MI'), 'quiet_until', to_char(p.quiet_until, 'HH24:MI'))::text as json`);
export const getSettings = (tx: Tx, user_id: number) =>
  tx.json(sql`
    select ${shownSettings}
    from (select) one left join push_settings p on p.organisation_id = $1 and p.user_id = ${user_id}`) as Promise<Json>;
/** Quiet hours alone; undefined stays. */
export const upsertQuietHours = (
  tx: Tx,
  user_id: number,
  { quiet_from, quiet_until }: Partial<Pick<Static<typeof PushSettings>, 'quiet_from' | 'quiet_until'>>,
) =>
  tx.rows(sql`
    insert into push_settings as p (
      organisation_id, user_id, from_people, from_bots, quiet_from, quiet_until, updated_at)
    values ($1, ${user_id}, true, true, ${quiet_from ?? null}::time, ${quiet_until ?? null}::time, ${tx.now()})
    on conflict (organisation_id, user_id) do update
    set quiet_from = case when ${quiet_from !== undefined}::boolean then excluded.quiet_from else p.quiet_from end,
      quiet_until = case when ${quiet_until !== undefined}::boolean then excluded.quiet_until else p.quiet_until end,
      updated_at = excluded.updated_at`);
export const upsertSettings = (tx: Tx, user_id: number, settings: Static<typeof PushSettings>) => {
  const { from_people, from_bots, quiet_from, quiet_until } = settings;
  return tx.json(sql`
    with p as (
      insert into push_settings (organisation_id, user_id, from_people, from_bots, quiet_from, quiet_until, updated_at)
      values (
        $1, ${user_id}, ${from_people}, ${from_bots}, ${quiet_from}::time, ${quiet_until}::time, ${tx.now()})
      on conflict (organisation_id, user_id) do update
      set (from_people, from_bots, quiet_from, quiet_until, updated_at) =
        (excluded.from_people, excluded.from_bots, excluded.quiet_from, excluded.quiet_until, excluded.updated_at)
      returning *)
    select ${shownSettings} from p`) as Promise<Json>;
};

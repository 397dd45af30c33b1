import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Job, queued } from '../../kernel/work/jobs.ts';

const subscriptionsList: Listing = { table: 'push_subscriptions', at: null, id: 'id', newestFirst: false };
export const PUSH_MESSAGE = 'push_message';
export const PUSH_NOTE = 'push_note';

/** CTE body: those who belong to the channel are notified of each message in `source`, once it is committed. */
export const pushed = (source: string, now: string): Sql =>
  queued(
    { kind: PUSH_MESSAGE } as Job<never>,
    sql`(select jsonb_build_object('message_id', t.id) as payload, ${now}::timestamptz as run_at from ${trusted(source)} t
      where t.type <> 'ADMM' and exists (select from push_subscriptions s where s.organisation_id = $1))`,
  );

/** What a person is told about that is no message. A later note with the same tag takes the former's place in the browser. */
export interface Note {
  user_id: number;
  title: string;
  body: string;
  tag: string;
}
/** CTE body: tells each row of `source`, which has the columns of a note, once it is committed. */
export const noted = (source: string, now: string): Sql =>
  queued(
    { kind: PUSH_NOTE } as Job<never>,
    sql`(select to_jsonb(n) as payload, ${now}::timestamptz as run_at from ${trusted(source)} n
      where exists (select from push_subscriptions s where s.organisation_id = $1 and s.user_id = n.user_id))`,
  );

// ---- Keys --------------------------------------------------------------------------------------------------------

export interface VapidKey {
  public_key: string;
  private_key_sealed: string;
}
export const findVapidKey = (tx: Tx) =>
  tx.row<VapidKey>(sql`select public_key, private_key_sealed from vapid_keys where organisation_id = $1`);
/** Of nodes that make one together, the first one's stays. */
export const insertVapidKey = (tx: Tx, { public_key, private_key_sealed }: VapidKey) =>
  tx.rows(sql`
    insert into vapid_keys (organisation_id, public_key, private_key_sealed, created_at) values ($1, ${public_key}, ${private_key_sealed}, ${tx.now()}) on conflict do nothing`);

// ---- Subscriptions -----------------------------------------------------------------------------------------------

const shown = trusted(
  `json_build_object('id', s.id, 'endpoint', s.endpoint, 'user_agent', s.user_agent, 'created_at', iso(s.created_at))::text as json`,
);
export const listSubscriptions = (tx: Tx, user_id: number, skip: number, take: number) =>
  listRows(
    tx,
    subscriptionsList,
    { skip, take, ...everyRow, where: [sql`t.user_id = ${user_id}`] },
    sql`select ${shown} from push_subscriptions s where s.organisation_id = $1 and s.id = listed.id`,
  );
export const countSubscriptions = async (tx: Tx, user_id: number) =>
  (
    await tx.row<{ count: number }>(
      sql`select count(*) as count from push_subscriptions where organisation_id = $1 and user_id = ${user_id}`,
    )
  )?.count ?? 0;
export interface NewSubscription {
  user_id: number;
  endpoint: string;
  endpoint_sha256: string;
  p256dh: string;
  auth: string;
  user_agent: string;
}
/** Undefined: the person lost access in between. */
export const upsertSubscription = (tx: Tx, s: NewSubscription) =>
  tx.json(sql`
    with s as (
      insert into push_subscriptions as p (organisation_id, user_id, endpoint, endpoint_sha256, p256dh, auth, user_agent, created_at)
      select $1, u.id, ${s.endpoint}, ${s.endpoint_sha256}, ${s.p256dh}, ${s.auth}, left(${s.user_agent}, 512), ${tx.now()}::timestamptz
      from users u where u.organisation_id = $1 and u.id = ${s.user_id} and u.is_active and u.has_access for share of u
      on conflict (organisation_id, endpoint_sha256) do update set user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth, user_agent = excluded.user_agent
      returning *)
    select ${shown} from s`);
export const deleteSubscription = (tx: Tx, user_id: number, id: number) =>
  tx.json(
    sql`delete from push_subscriptions where organisation_id = $1 and user_id = ${user_id} and id = ${id} returning json_build_object('id', id)::text as json`,
  );
/** The browser is gone. */
export const dropSubscription = (tx: Tx, id: number) =>
  tx.rows(sql`delete from push_subscriptions where organisation_id = $1 and id = ${id}`);
/** Every one of the person, at once. Returns how many. */
export const endSubscriptions = async (tx: Tx, user_ids: readonly number[]) =>
  (
    await tx.rows(sql`
    delete from push_subscriptions where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) returning id`)
  ).length;

// ---- Settings ----------------------------------------------------------------------------------------------------

export interface Settings {
  from_people: boolean;
  from_bots: boolean;
  quiet_from: string | null;
  quiet_until: string | null;
}
const shownSettings =
  trusted(`json_build_object('from_people', coalesce(p.from_people, true), 'from_bots', coalesce(p.from_bots, true),
  'quiet_from', to_char(p.quiet_from, 'HH24:MI'), 'quiet_until', to_char(p.quiet_until, 'HH24:MI'))::text as json`);
export const getSettings = (tx: Tx, user_id: number) =>
  tx.json(
    sql`select ${shownSettings} from (select) one left join push_settings p on p.organisation_id = $1 and p.user_id = ${user_id}`,
  ) as Promise<Json>;
export const upsertSettings = (
  tx: Tx,
  user_id: number,
  { from_people, from_bots, quiet_from, quiet_until }: Settings,
) =>
  tx.json(sql`
    with p as (
      insert into push_settings as p (organisation_id, user_id, from_people, from_bots, quiet_from, quiet_until, updated_at)
      values ($1, ${user_id}, ${from_people}, ${from_bots}, ${quiet_from}::time, ${quiet_until}::time, ${tx.now()})
      on conflict (organisation_id, user_id) do update set from_people = excluded.from_people, from_bots = excluded.from_bots, quiet_from = excluded.quiet_from,
        quiet_until = excluded.quiet_until, updated_at = excluded.updated_at returning *)
    select ${shownSettings} from p`) as Promise<Json>;

// ---- Who is notified ---------------------------------------------------------------------------------------------

export interface Notice {
  subscription_id: number;
  endpoint: string;
  p256dh: string;
  auth: string;
  domain: string;
  title: string;
  body: string;
  /** Notices with one tag take each other's place. */
  tag: string;
  url: string;
  channel_url?: string;
  message_id?: number;
}
const subscription = trusted(
  `s.id as subscription_id, s.endpoint, s.p256dh, s.auth, split_part(o.domain, ':', 1) as domain`,
);
/** The wishes `p` of the person `u`, and whether it is a time of quiet where they live. */
const wishes = (now: string) => sql`
  left join push_settings p on p.organisation_id = $1 and p.user_id = u.id
  cross join lateral (select (${now}::timestamptz at time zone coalesce(u.timezone, o.timezone))::time as local) clock
  cross join lateral (
    select coalesce(case when p.quiet_from <= p.quiet_until then clock.local >= p.quiet_from and clock.local < p.quiet_until
      else clock.local >= p.quiet_from or clock.local < p.quiet_until end, false) as quiet) now`;

/** Found from the channel's side; `belongs`, a condition on the person `u` and the channel `c`, decides. With `only`, just this subscription. */
export const noticesOf = async (
  tx: Tx,
  message_id: number,
  belongs: Sql,
  only: number | undefined,
): Promise<Notice[]> =>
  (
    await tx.jsons(sql`
    select row_to_json(r)::text as json from (
      select ${subscription}, coalesce(b.bot_nickname, a.name, '') as title, left(t.text, 200) as body, c.channel_url as tag,
        o.web_url || '/chat/' || c.channel_url as url, c.channel_url, t.id as message_id
      from chat_messages t join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id join organisations o on o.id = $1
      cross join lateral (
        select m.user_id from chat_members m where m.organisation_id = $1 and m.channel_id = c.id
        union select m.user_id from space_members m where m.organisation_id = $1 and m.space_id = c.space_id) near
      join users u on u.organisation_id = $1 and u.id = near.user_id and u.is_active and u.has_access and u.id is distinct from t.user_id
      join push_subscriptions s on s.organisation_id = $1 and s.user_id = u.id and (${only ?? null}::bigint is null or s.id = ${only ?? null}::bigint)
      left join users a on a.organisation_id = $1 and a.id = t.user_id left join bots b on b.organisation_id = $1 and b.id = t.bot_id
      ${wishes(tx.now())}
      where t.organisation_id = $1 and t.id = ${message_id} and t.deleted_at is null and ${belongs}
        and coalesce(case when t.bot_id is null then p.from_people else p.from_bots end, true) and not now.quiet
      order by s.id) r`)
  ).map((json) => JSON.parse(json));

/** Where a note goes now. `quiet`: not before this person's quiet hours are over. */
export const noticesOfNote = async (tx: Tx, { user_id, title, body, tag }: Note, only: number | undefined) =>
  (
    await tx.jsons(sql`
    select row_to_json(r)::text as json from (
      select ${subscription}, ${title}::text as title, ${body}::text as body, ${tag}::text as tag, o.web_url as url, now.quiet
      from users u join organisations o on o.id = $1
      join push_subscriptions s on s.organisation_id = $1 and s.user_id = u.id and (${only ?? null}::bigint is null or s.id = ${only ?? null}::bigint)
      ${wishes(tx.now())}
      where u.organisation_id = $1 and u.id = ${user_id} and u.is_active and u.has_access
      order by s.id) r`)
  ).map((json) => JSON.parse(json) as Notice & { quiet: boolean });

import type { Key, Role } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { listed } from '../../kernel/data/listing.ts';
import { type Sql, sql } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { isKey, sees } from '../content/access.ts';
import { postedSlice } from '../content/lists.ts';
import { state } from '../content/reach.ts';
import { myRsvp, startsList } from '../events/family.ts';
import { endsAfter } from '../events/queries.ts';

export interface Entry {
  uid: string;
  revision: number;
  title: string;
  description: string;
  location: string;
  url: string;
  starts_at: string;
  ends_at: string;
  timezone: string;
  all_day: boolean;
  created_at: string;
  updated_at: string;
  /** Archived before it ended. */
  is_cancelled: boolean;
  is_going: boolean;
}
const entry = (actor: Actor): Sql => sql`t.uid, t.revision, t.title, t.description, t.location,
  coalesce(t.url, (select o.web_url from organisations o where o.id = $1) || '/events/' || t.id) as url,
  iso(t.starts_at) as starts_at, iso(t.ends_at) as ends_at, t.timezone, t.all_day,
  iso(t.created_at) as created_at, iso(t.updated_at) as updated_at,
  coalesce(t.archived_at < t.ends_at, false) as is_cancelled, coalesce(${myRsvp(actor)} = 'going', false) as is_going`;

export const findEntry = (tx: Tx, actor: Actor, key: Key) =>
  tx.row<Entry>(sql`
    select ${entry(actor)} from events t
    where t.organisation_id = $1 and ${isKey(key)} and ${sees(actor, 'event')}`);

const ENTRIES_MAX = 1000;
export const listEntries = (tx: Tx, actor: Actor) => {
  const recent = sql`(${tx.now()}::timestamptz - interval '31 days')`;
  const wanted = [endsAfter(recent), sql`${myRsvp(actor)} is distinct from 'declined'`];
  const slice = postedSlice(actor, 'event', { skip: 0, take: ENTRIES_MAX }, [state.published, state.archived], wanted);
  return tx.rows<Entry>(sql`
    with ${listed(startsList, slice)}
    select ${entry(actor)} from listed join events t on t.organisation_id = $1 and t.id = listed.id order by listed.n`);
};

export const getOrganisationName = async (tx: Tx) =>
  (await tx.value<string>(sql`select name from organisations where id = $1`)) ?? '';

/** One address a person; returns where calendars are read and when it was made. */
export const upsertFeed = (tx: Tx, user_id: number, secret_sha256: string) =>
  tx.row<{ web_url: string; created_at: string }>(sql`
    with feed as (
      insert into calendar_feeds (organisation_id, user_id, secret_sha256, created_at)
      values ($1, ${user_id}, ${secret_sha256}, ${tx.now()})
      on conflict (organisation_id, user_id) do update
      set secret_sha256 = excluded.secret_sha256, created_at = excluded.created_at returning created_at)
    select o.web_url, iso(feed.created_at) as created_at from feed, organisations o where o.id = $1`);
export const findFeed = (tx: Tx, user_id: number) =>
  tx.row<{ created_at: string }>(sql`
    select iso(created_at) as created_at from calendar_feeds where organisation_id = $1 and user_id = ${user_id}`);
/** Returns how many there were. */
export const deleteFeeds = async (tx: Tx, user_ids: readonly number[]) =>
  (
    await tx.rows(sql`
    delete from calendar_feeds where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) returning user_id`)
  ).length;
/** Whose calendar it is, if they may still sign in. */
export const findFeedOwner = (tx: Tx, secret_sha256: string) =>
  tx.row<{ user_id: number; roles: Role[] }>(sql`
    select u.id as user_id, u.roles
    from calendar_feeds f join users u on u.organisation_id = $1 and u.id = f.user_id
    where f.organisation_id = $1 and f.secret_sha256 = ${secret_sha256} and u.is_active and u.has_access`);

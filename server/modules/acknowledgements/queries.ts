import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows, totalOf } from '../../kernel/data/listing.ts';
import { jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { plurals } from '../content/contract.ts';
import type { ViewerColumns } from '../content/family.ts';
import { personColumns, usersList } from '../users/queries.ts';
import { type AcknowledgedNoun, acknowledgedNouns } from './contract.ts';

const acknowledged: Listing = { table: 'acknowledgements', at: 'acknowledged_at', id: 'user_id', newestFirst: false };
const tableOf = (noun: AcknowledgedNoun) => trusted(plurals[noun]);

/** Scalar: ids of the people, active or not, whom the content with this id is for; not for everybody's content. */
const audience = (noun: AcknowledgedNoun, id: number): Sql => {
  const [table, column] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
  return sql`
    select m.user_id from ${table} a join space_members m on m.organisation_id = $1 and m.space_id = a.space_id
    where a.organisation_id = $1 and ${column} = ${id}
    union
    select m.user_id from ${table} a join team_members m on m.organisation_id = $1 and m.team_id = a.team_id
    where a.organisation_id = $1 and ${column} = ${id}`;
};
/** SQL: acknowledgements `k` of the present version of the content `t`. */
const present = (noun: AcknowledgedNoun) => sql`
  k.organisation_id = $1 and k.kind = ${noun} and k.content_id = t.id and k.content_version = t.content_version`;

/** Column: the actor confirmed the present version of `t`. */
export const acknowledgedBy: ViewerColumns = (noun, { user_id }) => {
  const asked = acknowledgedNouns.find((one) => one === noun);
  return (
    asked &&
    sql`exists (select from acknowledgements k where ${present(asked)} and k.user_id = ${user_id})
    as acknowledged_by_me`
  );
};

export const getAcknowledgement = (tx: Tx, noun: AcknowledgedNoun, id: number, user_id: number) =>
  tx.json(sql`
    select json_build_object(
      'required', t.requires_acknowledgement,
      'acknowledged_count', (select count(*) from acknowledgements k where ${present(noun)}),
      'audience_count', case when t.audience_type = 'Global' then ${totalOf(usersList, trusted('0'), [0])} else (
        select count(*) from users u
        where u.organisation_id = $1 and u.is_active and u.kind = 'person' and u.id in (${audience(noun, id)})) end,
      'due_at', iso(t.acknowledgement_due_at),
      'content_version', t.content_version,
      'acknowledged_at', (
        select iso(k.acknowledged_at) from acknowledgements k where ${present(noun)} and k.user_id = ${user_id})
    )::text as json
    from ${tableOf(noun)} t where t.organisation_id = $1 and t.id = ${id}`);

export interface NewAcknowledgement {
  user_id: number;
  acknowledged_at: string;
  /** The version that was read; default: the present one. */
  content_version: number | undefined;
}
/** Undefined: this content asks for none. False: it has changed since. */
export const insertAcknowledgement = (
  tx: Tx,
  noun: AcknowledgedNoun,
  id: number,
  { user_id, acknowledged_at, content_version }: NewAcknowledgement,
) =>
  tx.value<boolean>(sql`
    with target as (
      select id, content_version,
        coalesce(content_version = ${content_version ?? null}::integer, true) as is_present
      from ${tableOf(noun)} where organisation_id = $1 and id = ${id} and requires_acknowledgement for key share),
    added as (
      insert into acknowledgements (organisation_id, kind, content_id, content_version, user_id, acknowledged_at)
      select $1, ${noun}, target.id, target.content_version, ${user_id}::bigint, ${acknowledged_at}::timestamptz
      from target where is_present on conflict do nothing)
    select is_present from target`);

/** SQL: the active people who have yet to confirm the present version of the content, with that version. */
export const awaited = (noun: AcknowledgedNoun, id: number) => sql`
  select u.id as user_id, t.content_version
  from ${tableOf(noun)} t
  join users u on u.organisation_id = $1 and u.is_active and u.kind = 'person'
    and (t.audience_type = 'Global' or u.id in (${audience(noun, id)}))
  where t.organisation_id = $1 and t.id = ${id} and t.requires_acknowledgement and not exists (
    select from acknowledgements k where ${present(noun)} and k.user_id = u.id)`;

type Page = { skip: number; take: number };
export const listAcknowledged = (tx: Tx, noun: AcknowledgedNoun, id: number, { skip, take }: Page) => {
  const version = sql`(select c.content_version from ${tableOf(noun)} c where c.organisation_id = $1 and c.id = ${id})`;
  const where = [sql`t.kind = ${noun}`, sql`t.content_id = ${id}`, sql`t.content_version = ${version}`];
  return listRows(
    tx,
    acknowledged,
    { skip, take, ...everyRow, where },
    shownUser(sql`
      select k.user_id, k.acknowledged_at, k.content_version
      from ${tableOf(noun)} t join acknowledgements k on ${present(noun)}
      where t.organisation_id = $1 and t.id = ${id} and k.user_id = listed.id`),
  );
};

export const listPending = (tx: Tx, noun: AcknowledgedNoun, id: number, { skip, take }: Page) => {
  const content = sql`${tableOf(noun)} c where c.organisation_id = $1 and c.id = ${id}`;
  const where = [
    trusted(`t.is_active and t.kind = 'person'`),
    sql`exists (
      select from ${content} and c.requires_acknowledgement
        and (c.audience_type = 'Global' or t.id in (${audience(noun, id)})))`,
    sql`not exists (
      select from acknowledgements k
      where k.organisation_id = $1 and k.kind = ${noun} and k.content_id = ${id} and k.user_id = t.id
        and k.content_version = (select c.content_version from ${content}))`,
  ];
  const unread = sql`
    select listed.id as user_id, null::timestamptz as acknowledged_at, c.content_version from ${content}`;
  return listRows(tx, usersList, { skip, take, ...everyRow, where }, shownUser(unread));
};

const shownUser = (source: Sql) =>
  jsonOf(sql`
    select ${trusted(personColumns)}, iso(k.acknowledged_at) as acknowledged_at, k.content_version
    from (${source}) k
    join users u on u.organisation_id = $1 and u.id = k.user_id join organisations o on o.id = $1`);

/** Before or after the content is deleted. */
export const deleteAcknowledgementsOf = (tx: Tx, kind: string, ids: readonly number[]) =>
  tx.rows(sql`
    delete from acknowledgements where organisation_id = $1 and kind = ${kind} and content_id = any(${ids}::bigint[])`);

import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows, totalOf } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { plurals } from '../content/contract.ts';
import { personOf } from '../content/queries.ts';
import { usersList } from '../users/queries.ts';
import type { AcknowledgedNoun } from './contract.ts';

const acknowledged: Listing = { table: 'acknowledgements', at: 'acknowledged_at', id: 'user_id', newestFirst: false };
const people: Listing = { table: 'users', at: null, id: 'id', newestFirst: false };

/** Scalar: ids of the people, active or not, whom the content with this id is for; not for everybody's content. */
const audience = (noun: AcknowledgedNoun, id: number): Sql => {
  const [table, column] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
  return sql`
    select m.user_id from ${table} a join space_members m on m.organisation_id = $1 and m.space_id = a.space_id where a.organisation_id = $1 and ${column} = ${id}
    union select m.user_id from ${table} a join team_members m on m.organisation_id = $1 and m.team_id = a.team_id where a.organisation_id = $1 and ${column} = ${id}`;
};

export const getAcknowledgement = (tx: Tx, noun: AcknowledgedNoun, id: number, user_id: number) =>
  tx.json(sql`
    select json_build_object('required', t.requires_acknowledgement,
      'acknowledged_count', (select count(*) from acknowledgements k where k.organisation_id = $1 and k.kind = ${noun} and k.content_id = t.id and k.content_version = t.content_version),
      'audience_count', case when t.audience_type = 'Global' then ${totalOf(usersList, trusted('0'), [0])}
        else (select count(*) from users u where u.organisation_id = $1 and u.is_active and u.kind = 'person' and u.id in (${audience(noun, id)})) end,
      'due_at', iso(t.acknowledgement_due_at), 'content_version', t.content_version,
      'acknowledged_at', (select iso(k.acknowledged_at) from acknowledgements k
        where k.organisation_id = $1 and k.kind = ${noun} and k.content_id = t.id and k.content_version = t.content_version and k.user_id = ${user_id}))::text as json
    from ${trusted(plurals[noun])} t where t.organisation_id = $1 and t.id = ${id}`);

/** Of the version that was read; by default the present one. Undefined: this content asks for none; false: it has changed since. */
export const insertAcknowledgement = async (
  tx: Tx,
  noun: AcknowledgedNoun,
  id: number,
  {
    user_id,
    acknowledged_at,
    content_version,
  }: { user_id: number; acknowledged_at: string; content_version: number | undefined },
) => {
  const row = await tx.row<{ is_present: boolean }>(sql`
    with target as (
      select id, content_version, coalesce(content_version = ${content_version ?? null}::integer, true) as is_present from ${trusted(plurals[noun])} where organisation_id = $1 and id = ${id} and requires_acknowledgement for key share),
    added as (
      insert into acknowledgements (organisation_id, kind, content_id, content_version, user_id, acknowledged_at)
      select $1, ${noun}, target.id, target.content_version, ${user_id}::bigint, ${acknowledged_at}::timestamptz from target where is_present on conflict do nothing)
    select is_present from target`);
  return row?.is_present;
};

export const listAcknowledged = (
  tx: Tx,
  noun: AcknowledgedNoun,
  id: number,
  { skip, take }: { skip: number; take: number },
) =>
  listRows(
    tx,
    acknowledged,
    {
      skip,
      take,
      ...everyRow,
      where: [
        sql`t.kind = ${noun}`,
        sql`t.content_id = ${id}`,
        sql`t.content_version = (select c.content_version from ${trusted(plurals[noun])} c where c.organisation_id = $1 and c.id = ${id})`,
      ],
    },
    shownUser(
      sql`select k.user_id, k.acknowledged_at, k.content_version from acknowledgements k join ${trusted(plurals[noun])} c on c.organisation_id = $1 and c.id = k.content_id and c.content_version = k.content_version
          where k.organisation_id = $1 and k.kind = ${noun} and k.content_id = ${id} and k.user_id = listed.id`,
    ),
  );

export const listPending = (
  tx: Tx,
  noun: AcknowledgedNoun,
  id: number,
  { skip, take }: { skip: number; take: number },
) => {
  const content = sql`${trusted(plurals[noun])} c where c.organisation_id = $1 and c.id = ${id}`;
  return listRows(
    tx,
    people,
    {
      skip,
      take,
      ...everyRow,
      where: [
        trusted(`t.is_active and t.kind = 'person'`),
        sql`exists (select from ${content} and c.requires_acknowledgement and (c.audience_type = 'Global' or t.id in (${audience(noun, id)})))`,
        sql`not exists (select from acknowledgements k where k.organisation_id = $1 and k.kind = ${noun} and k.content_id = ${id} and k.user_id = t.id and k.content_version = (select c.content_version from ${content}))`,
      ],
    },
    shownUser(
      sql`select listed.id as user_id, null::timestamptz as acknowledged_at, c.content_version from ${content}`,
    ),
  );
};

const shownUser = (source: Sql) => sql`
  select (left(p.person::text, -1) || ',"acknowledged_at":' || coalesce(to_json(iso(p.acknowledged_at))::text, 'null') || ',"content_version":' || p.content_version || '}') as json
  from (select ${trusted(personOf('k.user_id'))} as person, k.acknowledged_at, k.content_version from (${source}) k) p`;

/** Before content is deleted. */
export const deleteAcknowledgementsOf = (tx: Tx, noun: AcknowledgedNoun, ids: readonly number[]) =>
  tx.rows(
    sql`delete from acknowledgements where organisation_id = $1 and kind = ${noun} and content_id = any(${ids}::bigint[])`,
  );

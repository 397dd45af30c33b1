import type { Tx } from '../../kernel/data/db.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { AudienceNoun, AudienceTargets } from './access.ts';

const named = (alias: 's' | 'g') =>
  trusted(`coalesce(
        json_agg(json_build_object('id', ${alias}.id, 'name', ${alias}.name) order by ${alias}.id)
          filter (where ${alias}.id is not null), '[]')`);
/**
 * The audience of the content `t` as the interface shows it; `known` limits the spaces `s` that are named.
 * `withGlobal`: it says is_global too.
 */
export const audienceOf = (noun: AudienceNoun, known: Sql = trusted('true'), withGlobal = false): Sql => sql`
  case when t.audience_type = 'Global' then
    '{${trusted(withGlobal ? '"is_global":true,' : '')}"type":"Global","spaces":[],"teams":[]}'::json else (
    select json_build_object(${trusted(withGlobal ? "'is_global', false," : '')}
      'type', t.audience_type, 'spaces', ${named('s')}, 'teams', ${named('g')})
    from ${trusted(`${noun}_audiences`)} a
    left join spaces s on s.organisation_id = $1 and s.id = a.space_id and ${known}
    left join teams g on g.organisation_id = $1 and g.id = a.team_id
    where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = t.id) end`;

const wanted = ({ spaces, teams }: AudienceTargets) => sql`
  select s as space_id, null::bigint as team_id from unnest(${[...new Set(spaces)]}::bigint[]) s
  union all select null, g from unnest(${[...new Set(teams)]}::bigint[]) g`;

/** When the content `t` reached its readers, for nouns whose audience has that: a column, and its value. */
const posting = (postedAt: string | undefined) =>
  postedAt ? { column: trusted(', posted_at'), value: trusted(`, ${postedAt}`) } : { column: nothing, value: nothing };

/** CTE body: the audience rows of the content in `source`, which has its columns. */
export const insertedAudience = (noun: AudienceNoun, source: string, targets: AudienceTargets, postedAt?: string) => {
  const { column, value } = posting(postedAt);
  return sql`
  insert into ${trusted(`${noun}_audiences`)} (organisation_id, ${trusted(`${noun}_id`)}, space_id, team_id${column})
  select $1, t.id, w.space_id, w.team_id${value} from ${trusted(source)} t, (${wanted(targets)}) w`;
};

/** Returns whether the audience became another one. */
export const replaceAudience = (
  tx: Tx,
  noun: AudienceNoun,
  content_id: number,
  targets: AudienceTargets,
  posted?: { name: string; postedAt: string },
) => {
  const [table, id] = [trusted(`${noun}_audiences`), trusted(`${noun}_id`)];
  const same = trusted('w.space_id is not distinct from a.space_id and w.team_id is not distinct from a.team_id');
  const { column, value } = posting(posted?.postedAt);
  const content = posted
    ? sql`join ${trusted(posted.name)} t on t.organisation_id = $1 and t.id = ${content_id}`
    : nothing;
  return tx.any(sql`
    with wanted as (${wanted(targets)}),
    gone as (
      delete from ${table} a
      where a.organisation_id = $1 and a.${id} = ${content_id} and not exists (select from wanted w where ${same})
      returning a.id),
    added as (
      insert into ${table} (organisation_id, ${id}, space_id, team_id${column})
      select $1, ${content_id}, w.space_id, w.team_id${value} from wanted w ${content}
      where not exists (
        select from ${table} a where a.organisation_id = $1 and a.${id} = ${content_id} and ${same})
      returning id)
    select id from gone union all select id from added`);
};

/** CTE body: the content in `source`, which has its columns, reached its readers at another moment than before. */
export const repostedAudience = (noun: AudienceNoun, source: string, postedAt: string): Sql => sql`
  update ${trusted(`${noun}_audiences`)} a set posted_at = ${trusted(postedAt)}
  from ${trusted(source)} t
  where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = t.id and a.posted_at <> ${trusted(postedAt)}`;

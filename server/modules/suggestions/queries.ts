import type { Json, Tx } from '../../kernel/data/db.ts';
import { joined, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { belongs } from '../chat/access.ts';
import { seenBy } from '../content/access.ts';
import { type ContentNoun, plurals } from '../content/contract.ts';
import type { MentionType } from '../mentions/contract.ts';
import { knows } from '../spaces/access.ts';

const EACH_MAX = literal(8);
const LAST_CHARACTER = '\u{10ffff}';
/** Condition: it begins with what was typed; a range, so that an index finds it whatever is asked for. */
const begins = (column: string, q: string) => {
  const [name, from] = [trusted(`lower(t.${column}) collate "C"`), q.toLowerCase()];
  return sql`${name} >= ${from} and ${name} <= ${from + LAST_CHARACTER}`;
};
const first = (table: string, column: string, q: string, condition: Sql) => sql`(
  select t.id from ${trusted(table)} t
  where t.organisation_id = $1 and ${begins(column, q)} and ${condition}
  order by lower(t.${trusted(column)}) collate "C" limit ${EACH_MAX})`;

/** For whom the text is. */
export type Place =
  | { noun: ContentNoun; id: number }
  | { channel_id: number }
  | { space_ids: readonly number[]; team_ids: readonly number[] };

const person = trusted(`t.kind = 'person' and t.is_active`);
const found = (actor: Actor, q: string): Record<MentionType, Sql> => ({
  user: sql`
    select 'user' as type, u.id, u.name, u.job_title as note, u.photo_key, u.roles
    from users u where u.organisation_id = $1 and u.id in (
      ${first('users', 'name', q, person)} union ${first('users', 'last_name', q, person)})
    order by lower(u.name) collate "C" limit ${EACH_MAX}`,
  team: sql`
    select 'team' as type, g.id, g.name, y.name as note, g.photo_key, null::text[]
    from teams g join team_types y on y.organisation_id = $1 and y.id = g.team_type_id
    where g.organisation_id = $1 and g.id in ${first('teams', 'name', q, trusted('true'))}`,
  space: sql`
    select 'space' as type, s.id, s.name, s.visibility as note, s.photo_key, null::text[]
    from spaces s where s.organisation_id = $1 and s.id in ${first('spaces', 'name', q, knows(actor, trusted('t')))}`,
});

/** Condition: what is found, `u`, is not told of the text. */
function isOutside(tx: Tx, place: Place): Sql {
  const isPerson = trusted(`u.type = 'user'`);
  if ('noun' in place)
    return sql`${isPerson} and not exists (
      select from ${trusted(plurals[place.noun])} t
      where t.organisation_id = $1 and t.id = ${place.id} and ${seenBy(tx, place.noun)})`;
  if ('channel_id' in place)
    return sql`${isPerson} and not exists (
      select from chat_channels c
      where c.organisation_id = $1 and c.id = ${place.channel_id} and ${belongs(trusted('u.id'))})`;
  const { space_ids, team_ids } = place;
  if (space_ids.length + team_ids.length === 0) return trusted('false');
  const isOpen = sql`exists (
    select from spaces s
    where s.organisation_id = $1 and s.id = any(${space_ids}::bigint[]) and s.visibility = 'public')`;
  const isIn = sql`case u.type
    when 'user' then 'admin' = any(u.roles) or exists (
        select from space_members m
        where m.organisation_id = $1 and m.space_id = any(${space_ids}::bigint[]) and m.user_id = u.id)
      or exists (
        select from team_members m
        where m.organisation_id = $1 and m.team_id = any(${team_ids}::bigint[]) and m.user_id = u.id)
    when 'team' then u.id = any(${team_ids}::bigint[])
    else u.id = any(${space_ids}::bigint[]) end`;
  return sql`not (${isOpen} or ${isIn})`;
}

export const listSuggestions = (tx: Tx, actor: Actor, q: string, kinds: readonly MentionType[], place: Place) => {
  const rows = kinds.map((kind) => sql`(${found(actor, q)[kind]})`);
  return tx.json(sql`
    select coalesce(json_agg(json_build_object('type', u.type, 'id', u.id, 'name', u.name, 'note', u.note,
        'avatar_url', avatar_url(o.web_url, u.photo_key, u.name), 'is_outside', ${isOutside(tx, place)})
      order by u.type = 'user' desc, u.type desc, lower(u.name) collate "C", u.id), '[]')::text as json
    from (${joined(rows, ' union all ')}) u join organisations o on o.id = $1`) as Promise<Json>;
};

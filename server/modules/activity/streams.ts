// What happens. Each stream looks at the newest rows of its table and shows those that the reader may read, so that
// its cost has a bound however large the table is; posts.ts does better for posts.
import { literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { sees } from '../content/access.ts';
import { type ContentNoun, contentNouns, plurals, postedNouns } from '../content/contract.ts';
import { familyOf } from '../content/family.ts';
import { inVisibleSpace } from '../documents/access.ts';
import { knows } from '../spaces/access.ts';
import type { ActivityType, actions } from './contract.ts';

/** Newest rows of a table that are looked at. */
const LOOKED_AT = 5000;

export interface ActivityFilter {
  space_ids?: readonly number[] | undefined;
  team_ids?: readonly number[] | undefined;
  user_id?: number | undefined;
}
export interface Stream {
  readonly type: ActivityType;
  readonly action: (typeof actions)[number];
  /** Of scopes. */
  readonly family: string;
  /** SQL that selects `id, at, actor_id` of the newest `count`. Undefined: of such a filter there is none. */
  readonly keys?: (actor: Actor, filter: ActivityFilter, count: number) => Sql | undefined;
  /** SQL that selects `actor_id, title, path, content_type, content_id` of the object of the key `k`. */
  readonly object: Sql;
}

interface Newest {
  table: string;
  /** Columns of `t`. */
  id?: string;
  actor?: string;
  /** SQL on `t`, which an index answers. */
  own: Sql;
  /** SQL on `t`, asked of row after row. */
  isSeen: Sql;
}
const newest = ({ table, id = 't.id', actor = 't.creator_id', own, isSeen }: Newest, count: number) => {
  const order = trusted(`order by t.created_at desc, ${id} desc`);
  return sql`
    select ${trusted(`${id} as id, t.created_at as at, ${actor} as actor_id`)} from (
      select * from ${trusted(table)} t where t.organisation_id = $1 and ${own} ${order} limit ${literal(LOOKED_AT)}) t
    where ${isSeen} ${order} limit ${literal(count)}`;
};
const by = (column: string, user_id: number | undefined) =>
  user_id === undefined ? trusted('true') : sql`${trusted(column)} = ${user_id}`;
const isPlaced = ({ space_ids, team_ids }: ActivityFilter) => space_ids !== undefined || team_ids !== undefined;

const pageKeys: Stream['keys'] = (actor, { space_ids, team_ids, user_id }, count) => {
  const isSeen = sql`not t.is_draft and ${sees(actor, 'page')}`;
  const own = by('t.creator_id', user_id);
  if (space_ids === undefined) return team_ids ? undefined : newest({ table: 'pages', own, isSeen }, count);
  const inSpace = sql`t.list_bucket = s.space_id and ${own}`;
  return sql`
    select p.* from unnest(${space_ids}::bigint[]) s(space_id)
    cross join lateral (${newest({ table: 'pages', own: inSpace, isSeen }, count)}) p`;
};
const documentKeys: Stream['keys'] = (actor, { space_ids, team_ids, user_id }, count) => {
  if (team_ids && !space_ids) return undefined;
  const inSpace = space_ids ? sql`t.space_id = any(${space_ids}::bigint[])` : trusted('t.list_bucket = 0');
  const own = sql`${inSpace} and ${by('t.creator_id', user_id)}`;
  return newest({ table: 'documents', own, isSeen: inVisibleSpace(actor) }, count);
};
/** Of places that are asked for: those on what `subjects` has, which is what is posted there. */
const commentKeys: Stream['keys'] = (actor, filter, count) => {
  const own = by('t.creator_id', filter.user_id);
  if (isPlaced(filter))
    return sql`
    select t.id, t.created_at as at, t.creator_id as actor_id
    from subjects s join comments t on t.organisation_id = $1 and t.kind = s.type and t.content_id = s.id
    where ${own} order by t.created_at desc, t.id desc limit ${literal(count)}`;
  const onSeen = (noun: ContentNoun) => sql`
      when ${literal(noun)} then exists (
        select from (select t.content_id as id) c join ${trusted(plurals[noun])} t
          on t.organisation_id = $1 and t.id = c.id and ${sees(actor, noun)})`;
  const kinds = contentNouns.map(onSeen).reduce((text, one) => sql`${text}${one}`, nothing);
  return newest({ table: 'comments', own, isSeen: sql`case t.kind ${kinds} end` }, count);
};

const object = (table: string, columns: string) =>
  trusted(`select ${columns} from ${table} t where t.organisation_id = $1 and t.id = k.id`);
const nowhere = 'null::text, null::bigint';
const inContent = (noun: ContentNoun, title: string) =>
  object(
    plurals[noun],
    `t.creator_id, ${title}, '/${plurals[noun]}/' || ${noun === 'article' ? 't.slug' : 't.id'}, ${nowhere}`,
  );
const named = (table: string, title: string, path: string, actor = 'k.actor_id') =>
  object(table, `${actor}, ${title}, '${path}' || t.id, ${nowhere}`);
/** The one who has been its owner for the longest; who created it becomes its owner. */
const founder = `(
  select m.user_id from space_members m
  where m.organisation_id = $1 and m.space_id = t.id and m.role = 'owner' order by m.created_at, m.user_id limit 1)`;
const commented = contentNouns.map(
  (noun) =>
    `when '${noun}' then '/${plurals[noun]}/' || ${
      noun === 'article'
        ? '(select a.slug from articles a where a.organisation_id = $1 and a.id = t.content_id)'
        : 't.content_id'
    }`,
);

let known: readonly Stream[] | undefined;
export const streams = (): readonly Stream[] => {
  known ??= [
    ...postedNouns.map((noun): Stream => {
      const isTitled = 'title' in familyOf(noun).columns;
      return {
        type: noun,
        action: isTitled ? 'published' : 'posted',
        family: plurals[noun],
        object: inContent(noun, isTitled ? 't.title' : 'left(t.text, 200)'),
      };
    }),
    {
      type: 'page',
      action: 'created',
      family: 'pages',
      keys: pageKeys,
      object: inContent('page', 't.title'),
    },
    {
      type: 'document',
      action: 'created',
      family: 'documents',
      keys: documentKeys,
      object: named('documents', 't.label', '/documents/', 't.creator_id'),
    },
    {
      type: 'comment',
      action: 'created',
      family: 'comments',
      keys: commentKeys,
      object: object(
        'comments',
        `t.creator_id, left(t.text, 200), case t.kind ${commented.join(' ')} end || '#comments', t.kind, t.content_id`,
      ),
    },
    {
      type: 'badge',
      action: 'assigned',
      family: 'badges',
      keys: (_actor, filter, count) => {
        const own = by('t.user_id', filter.user_id);
        const holder = { table: 'badge_users', id: 't.badge_id', actor: 't.user_id', own };
        return isPlaced(filter) ? undefined : newest({ ...holder, isSeen: trusted('t.list_class = 0') }, count);
      },
      object: named('badges', 't.title', '/badges/'),
    },
    {
      type: 'space',
      action: 'created',
      family: 'spaces',
      keys: (actor, { space_ids, team_ids, user_id }, count) => {
        const own = space_ids ? sql`t.id = any(${space_ids}::bigint[])` : trusted('true');
        const isSeen = sql`not t.is_archived and ${by(founder, user_id)} and ${knows(actor, trusted('t'))}`;
        return team_ids && !space_ids ? undefined : newest({ table: 'spaces', actor: founder, own, isSeen }, count);
      },
      object: named('spaces', 't.name', '/spaces/'),
    },
    {
      type: 'user',
      action: 'joined',
      family: 'users',
      keys: (_actor, filter, count) => {
        const joined = { table: 'users', actor: 't.id', own: by('t.id', filter.user_id) };
        return isPlaced(filter) ? undefined : newest({ ...joined, isSeen: trusted('t.list_class = 0') }, count);
      },
      object: named('users', 't.name', '/directory/people/'),
    },
  ];
  return known;
};

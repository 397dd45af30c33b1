import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { listContent, type PostedFilter, postedSlice } from '../content/lists.ts';
import { isUnpublished, state } from '../content/reach.ts';
import { articleFamily } from './family.ts';
import type { StoredSchedule } from './schedule.ts';

export type ListedState = 'published' | 'archived' | 'all' | 'draft' | 'scheduled';
export interface ArticleFilter extends PostedFilter {
  language?: string;
  sign_url?: boolean;
  has_acknowledgement?: boolean;
  slug?: string;
  state?: ListedState;
}
export function listArticles(tx: Tx, actor: Actor, filter: ArticleFilter) {
  const { language, sign_url, has_acknowledgement, slug, state: wanted = 'published' } = filter;
  const [states, conditions] = slices(actor)[wanted];
  if (has_acknowledgement !== undefined)
    conditions.push(trusted(`${has_acknowledgement ? '' : 'not '}t.requires_acknowledgement`));
  if (slug !== undefined) conditions.push(sql`t.slug = ${slug}`);
  const slice = postedSlice(actor, 'article', filter, states, conditions);
  return listContent(tx, articleFamily, articleFamily.list, slice, { now: tx.now(), actor, language, sign_url });
}
const slices = (actor: Actor): Record<ListedState, [states: number[], conditions: Sql[]]> => {
  const edits = articleFamily.edits(actor);
  const isVisible = sql`(not ${isUnpublished} or ${edits})`;
  const unpublished = (is_draft: boolean): [number[], Sql[]] => [
    [state.unpublished],
    [trusted(`t.archived_at is null and t.is_draft = ${is_draft}`), edits],
  ];
  return {
    published: [[state.published], []],
    archived: [
      [state.archived, state.unpublished],
      [trusted('t.archived_at is not null'), isVisible],
    ],
    all: [[state.published, state.archived, state.unpublished], [isVisible]],
    draft: unpublished(true),
    scheduled: unpublished(false),
  };
};

/** Keeps others from changing its states meanwhile. */
export const lockArticle = async (tx: Tx, id: number) =>
  (await tx.row<StoredSchedule>(sql`
    select is_draft, iso(publish_at) as publish_at, iso(published_at) as published_at, iso(archive_at) as archive_at
    from articles where organisation_id = $1 and id = ${id} for update`)) as StoredSchedule;

/**
 * `slug`, or with a number that makes it free: one more than a number that is taken, found by halving. Until the commit
 * nobody else finds a slug.
 */
export const findFreeSlug = async (tx: Tx, slug: string): Promise<string> => {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('article slugs', $1))`);
  const isTaken = (number: string) => sql`exists (
    select from articles t where t.organisation_id = $1 and t.slug = ${`${slug}-`}::text || ${trusted(number)})`;
  const free = await tx.value<string>(sql`
    with recursive powers as (select (2 ^ g)::bigint as n from generate_series(1, 40) g),
    narrowed (low, high) as (
      (select n / 2, n from powers where not ${isTaken('n')} order by n limit 1)
      union all
      select case when step.is_taken then step.middle else low end,
        case when step.is_taken then high else step.middle end
      from narrowed cross join lateral (
        select m.middle, ${isTaken('m.middle')} as is_taken from (select (low + high) / 2 as middle) m) step
      where high - low > 1)
    select case when exists (select from articles t where t.organisation_id = $1 and t.slug = ${slug})
      then ${`${slug}-`}::text || (select min(high) from narrowed) else ${slug} end`);
  return free ?? slug;
};

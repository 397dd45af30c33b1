// What moves an article from one state to the next. Each is one statement that changes the rows, the list's counts and
// the outbox together; rows that another node holds are passed over, so that each step happens, and is told, once.
import type { Tx } from '../../kernel/data/db.ts';
import { literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Event } from '../../kernel/delivery/outbox.ts';
import { moveContent } from '../content/statements.ts';
import { articleArchived, articlePublished, articleUnarchived } from './events.ts';
import { articleFamily } from './family.ts';

const STEP_MAX = 200;

/** `which` is a condition on the rows `t`. Returns how many were moved. */
const move = (tx: Tx, which: Sql, set: Sql, event: Event, now: string) =>
  moveContent(
    tx,
    articleFamily,
    sql`select t.* from articles t where t.organisation_id = $1 and ${which}`,
    set,
    event,
    now,
  );

export interface Due {
  /** Only this article. */
  id?: number;
  /** The date it is published with; default: this moment. */
  published_at?: string | undefined;
}
const due = (now: string, isPublished: boolean, id: number | undefined) => sql`
  t.due_at <= ${now}::timestamptz and (t.published_at is not null) = ${literal(String(isPublished))}
  ${id === undefined ? nothing : sql`and t.id = ${id}`}
  order by t.due_at, t.id limit ${literal(STEP_MAX)} for update skip locked`;
export const publishDue = (tx: Tx, { id, published_at }: Due = {}, now = tx.now()) =>
  move(tx, due(now, false, id), sql`published_at = ${published_at ?? now}::timestamptz`, articlePublished, now);
export const archiveDue = (tx: Tx, { id }: Due = {}, now = tx.now()) =>
  move(tx, due(now, true, id), sql`archived_at = ${now}::timestamptz`, articleArchived, now);

/** The chore: what is due in this organisation. */
export async function moveDueArticles(tx: Tx): Promise<void> {
  for (const step of [publishDue, archiveDue]) while ((await step(tx)) === STEP_MAX);
}
/** Scalar: when the next article is due. */
export const articlesDue = trusted('(select min(due_at) from articles where organisation_id = $1)');

export async function archiveArticle(tx: Tx, id: number, now = tx.now()): Promise<void> {
  const which = sql`t.id = ${id} and t.archived_at is null for update`;
  const moved = await move(tx, which, sql`archived_at = ${now}::timestamptz`, articleArchived, now);
  if (moved === 0) await partFromSpace(tx, id);
}

/** Archived by itself, or for other spaces now, it does not come back with its space. */
export const partFromSpace = (tx: Tx, id: number) =>
  tx.rows(sql`
    update articles set archived_with_space = false
    where organisation_id = $1 and id = ${id} and archived_with_space`);

export const unarchiveArticle = (tx: Tx, id: number, now = tx.now()) =>
  move(
    tx,
    sql`t.id = ${id} and t.archived_at is not null for update`,
    sql`archived_at = null, archived_with_space = false,
      archive_at = case when t.archive_at > ${now}::timestamptz then t.archive_at end`,
    articleUnarchived,
    now,
  );

const inSpace = (space_id: number) => sql`t.id in (
  select a.article_id from article_audiences a where a.organisation_id = $1 and a.space_id = ${space_id})`;
const hasOpenSpace = trusted(`exists (
  select from article_audiences a
  join spaces s on s.organisation_id = $1 and s.id = a.space_id and not s.is_archived
  where a.organisation_id = $1 and a.article_id = t.id)`);

/**
 * After a space was archived: its articles go with it, but for those that are for another space that is not archived.
 */
async function archiveWithSpace(tx: Tx, space_id: number, now = tx.now()) {
  const which = sql`${inSpace(space_id)} and t.archived_at is null and not ${hasOpenSpace} order by t.id for update`;
  await move(tx, which, sql`archived_at = ${now}::timestamptz, archived_with_space = true`, articleArchived, now);
}

/**
 * After a space was brought back: what went with the last of its spaces.
 * What was to be archived meanwhile stays archived.
 */
async function unarchiveWithSpace(tx: Tx, space_id: number, now = tx.now()) {
  await tx.rows(sql`
    update articles t set archived_with_space = false
    where t.organisation_id = $1 and ${inSpace(space_id)} and t.archived_with_space
      and t.published_at is not null and t.archive_at <= ${now}::timestamptz`);
  const which = sql`${inSpace(space_id)} and t.archived_with_space order by t.id for update`;
  await move(tx, which, sql`archived_at = null, archived_with_space = false`, articleUnarchived, now);
}

export const archiveArticlesOf = (tx: Tx, space_id: number, isArchived: boolean): Promise<void> =>
  isArchived ? archiveWithSpace(tx, space_id) : unarchiveWithSpace(tx, space_id);

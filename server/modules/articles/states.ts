// What moves an article from one state to the next. Each is one statement that changes the rows, the list's counts and the
// outbox together; rows that another node holds are passed over, so that each step happens, and is told, once.
import type { Tx } from '../../kernel/data/db.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import { recounted } from '../content/queries.ts';
import { articleArchived, articlePublished, articleUnarchived } from './events.ts';
import { announcement, articlesList, touched } from './shown.ts';

const STEP_MAX = 200;

/** `which` selects the rows `t` for update. Returns how many were moved. */
async function move(tx: Tx, which: Sql, set: Sql, event: Event, at: string): Promise<number> {
  const rows = await tx.rows(sql`
    with was as (${which}),
    changed as (update articles t set ${set}, ${touched(at)} from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    ${recounted(articlesList)},
    ${announcement('changed', at)},
    event as (${emitted(event, 'shown', at)})
    select id from changed`);
  return rows.length;
}

const only = (id: number | undefined) => (id === undefined ? nothing : sql` and t.id = ${id}`);
const due = (at: string, isPublished: boolean, id: number | undefined) => sql`
  select t.* from articles t where t.organisation_id = $1 and t.due_at <= ${at}::timestamptz and ${trusted(`t.published_at is ${isPublished ? 'not ' : ''}null`)}${only(id)}
  order by t.due_at, t.id limit ${trusted(String(STEP_MAX))} for update skip locked`;

export interface Due {
  /** Only this article. */
  id?: number;
  /** The date it is published with; default: this moment. */
  published_at?: string | undefined;
}
export const publishDue = (tx: Tx, { id, published_at }: Due = {}, at = tx.now()) =>
  move(tx, due(at, false, id), sql`published_at = ${published_at ?? at}::timestamptz`, articlePublished, at);
export const archiveDue = (tx: Tx, { id }: Due = {}, at = tx.now()) =>
  move(tx, due(at, true, id), sql`archived_at = ${at}::timestamptz`, articleArchived, at);

/** The chore: what is due in this organisation. */
export async function moveDueArticles(tx: Tx): Promise<void> {
  for (const step of [publishDue, archiveDue]) while ((await step(tx)) === STEP_MAX);
}
/** Scalar: when the next article is due. */
export const articlesDue = trusted('(select min(due_at) from articles where organisation_id = $1)');

const isOne = (id: number, condition: string) =>
  sql`select t.* from articles t where t.organisation_id = $1 and t.id = ${id} and ${trusted(condition)} for update`;

export async function archiveArticle(tx: Tx, id: number): Promise<void> {
  const at = tx.now();
  if (
    (await move(tx, isOne(id, 't.archived_at is null'), sql`archived_at = ${at}::timestamptz`, articleArchived, at)) > 0
  )
    return;
  await partFromSpace(tx, id);
}

/** Archived by itself, or for other spaces now, it does not come back with its space. */
export const partFromSpace = (tx: Tx, id: number) =>
  tx.rows(
    sql`update articles set archived_with_space = false where organisation_id = $1 and id = ${id} and archived_with_space`,
  );

export const unarchiveArticle = (tx: Tx, id: number, at = tx.now()) =>
  move(
    tx,
    isOne(id, 't.archived_at is not null'),
    sql`archived_at = null, archived_with_space = false, archive_at = case when t.archive_at > ${at}::timestamptz then t.archive_at end`,
    articleUnarchived,
    at,
  );

const inSpace = (space_id: number) =>
  sql`t.organisation_id = $1 and t.id in (select a.article_id from article_audiences a where a.organisation_id = $1 and a.space_id = ${space_id})`;

/** After a space was archived: its articles go with it, but for those that are for another space that is not archived. */
const archiveWithSpace = (tx: Tx, space_id: number, at = tx.now()) =>
  move(
    tx,
    sql`
    select t.* from articles t where ${inSpace(space_id)} and t.archived_at is null and not exists (
      select from article_audiences a join spaces s on s.organisation_id = $1 and s.id = a.space_id and not s.is_archived where a.organisation_id = $1 and a.article_id = t.id)
    order by t.id for update`,
    sql`archived_at = ${at}::timestamptz, archived_with_space = true`,
    articleArchived,
    at,
  );

/** After a space was brought back: what went with the last of its spaces. What was to be archived meanwhile stays archived. */
async function unarchiveWithSpace(tx: Tx, space_id: number, at = tx.now()) {
  await tx.rows(sql`
    update articles t set archived_with_space = false where ${inSpace(space_id)} and t.archived_with_space and t.published_at is not null and t.archive_at <= ${at}::timestamptz`);
  const which = sql`select t.* from articles t where ${inSpace(space_id)} and t.archived_with_space order by t.id for update`;
  await move(tx, which, sql`archived_at = null, archived_with_space = false`, articleUnarchived, at);
}

export async function archiveArticlesOf(tx: Tx, space_id: number, archived: boolean): Promise<void> {
  if (archived) await archiveWithSpace(tx, space_id);
  else await unarchiveWithSpace(tx, space_id);
}

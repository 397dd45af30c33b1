import type { Key, Paging } from '../../kernel/contract/contract.ts';
import { noted } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { counting, touched } from '../../kernel/data/rows.ts';
import { jsonOf, literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isViewer } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { type ContentNoun, plurals } from '../content/contract.ts';
import { reactionsOf } from '../content/shown.ts';
import { deleteLikesOf, reactionOf } from '../likes/queries.ts';
import { deleteMentionsIn, mentionsOf } from '../mentions/queries.ts';
import { authorOf } from '../users/queries.ts';

const list: Listing = { table: 'comments', at: 'created_at', id: 'id', newestFirst: false };

/** Who reads comments, and whether they may change the content that those are on. */
export interface CommentReader {
  actor: Actor;
  may_edit: boolean;
}
const viewerOf = ({ actor, may_edit }: CommentReader): Sql => {
  if (!isViewer(actor)) return nothing;
  const mayWrite = holds(actor.scopes, 'comments.*.write');
  const isOwn = sql`(${mayWrite}::boolean and c.creator_id = ${actor.user_id})`;
  const mayDelete = mayWrite && (may_edit || actor.roles.includes('moderator'));
  return sql`, (
    select row_to_json(v) from (
      select ${reactionOf('comment', actor, 'c.id')}, ${isOwn} as may_edit,
        ${isOwn} or ${mayDelete}::boolean as may_delete) v) as viewer`;
};

const columns = sql`c.id, c.id as comment_id, c.external_id, c.external_id as comment_external_id,
  c.parent_id as comment_parent_id, c.kind as content_type, c.content_id, c.text, c.creator_id as user_id,
  author.external_id as user_external_id, author.person as user, author.person as creator,
  ${mentionsOf('comment', 'c.id')} as mentions, c.likes_count,
  ${reactionsOf('c')} as reactions, c.replies_count, iso(c.created_at) as created_at,
  iso(c.updated_at) as updated_at, c.sequence`;
const shown = (id: Sql, reader: CommentReader) =>
  jsonOf(sql`
    select ${columns}${viewerOf(reader)} from comments c cross join lateral ${trusted(authorOf('c.creator_id'))}
    where c.organisation_id = $1 and c.id = ${id}`);

export interface CommentRow {
  id: number;
  external_id: string | null;
  kind: ContentNoun;
  content_id: number;
  parent_id: number | null;
  creator_id: number;
}
export const findComment = (tx: Tx, key: Key) => {
  const which = typeof key === 'number' ? sql`id = ${key}` : sql`external_id = ${key.external_id}`;
  return tx.row<CommentRow>(sql`
    select id, external_id, kind, content_id, parent_id, creator_id from comments
    where organisation_id = $1 and ${which}`);
};
export const getComment = (tx: Tx, id: number, reader: CommentReader) =>
  tx.json(shown(sql`${id}`, reader)) as Promise<Json>;

/** Those on the content itself, or the replies to one of them. */
export function listComments(
  tx: Tx,
  kind: ContentNoun,
  content_id: number,
  parent_id: number | null,
  reader: CommentReader,
  { skip, take, updated_after }: Paging,
) {
  const isReply = parent_id === null ? trusted('t.parent_id is null') : sql`t.parent_id = ${parent_id}`;
  const where = [sql`t.kind = ${kind}`, sql`t.content_id = ${content_id}`, isReply];
  return listRows(tx, list, { skip, take, updated_after, ...everyRow, where }, shown(trusted('listed.id'), reader));
}

export interface NewComment {
  kind: ContentNoun;
  content_id: number;
  parent_id: number | null;
  external_id: string | null;
  text: string;
  creator_id: number;
  created_at: string | undefined;
}
const counted = (kind: ContentNoun, change: Sql, which: Sql) =>
  counting(plurals[kind], 'comments_count', change, which);

/** Undefined: the content, or the comment it replies to, is gone. */
export const insertComment = (tx: Tx, comment: NewComment) => {
  const { kind, content_id, parent_id, created_at = tx.now() } = comment;
  const hasParent = sql`(${parent_id}::bigint is null or exists (select from parent))`;
  return tx.value<number>(sql`
    with parent as (
      update comments set replies_count = replies_count + 1
      where organisation_id = $1 and id = ${parent_id}::bigint and kind = ${kind} and content_id = ${content_id}
      returning id),
    content as (${counted(kind, literal(1), sql`t.id = ${content_id} and ${hasParent}`)})
    insert into comments (
      organisation_id, kind, content_id, parent_id, external_id, text, creator_id, created_at, updated_at)
    select $1, ${kind}, content.id, ${parent_id}::bigint, ${comment.external_id}, ${comment.text},
      ${comment.creator_id}::bigint, ${created_at}::timestamptz, ${tx.now()}::timestamptz
    from content returning id`);
};

export const updateComment = (tx: Tx, id: number, text: string) =>
  tx.rows(sql`
    update comments t set text = ${text}, ${touched(tx.now())} where t.organisation_id = $1 and t.id = ${id}`);

/** The comment with its replies and their likes. Returns whether it was there. */
export const deleteComment = async (tx: Tx, { id, kind, content_id, parent_id }: CommentRow) => {
  // A reply that is being written takes this row too: it is there before the statement below looks, or finds no thread.
  await tx.rows(sql`select id from comments where organisation_id = $1 and id = ${id} for update`);
  const gone = await tx.values<number>(sql`
    with doomed as (
      select id from comments where organisation_id = $1 and (id = ${id} or parent_id = ${id}) for update),
    gone as (delete from comments where organisation_id = $1 and id in (select id from doomed) returning id),
    parent as (
      update comments set replies_count = replies_count - 1
      where organisation_id = $1 and id = ${parent_id}::bigint and exists (select from gone)),
    content as (${counted(
      kind,
      trusted('-(select count(*) from gone)'),
      sql`t.id = ${content_id} and exists (select from gone)`,
    )}),
    note as (${noted('comment', 'gone', tx.now())})
    select id from gone`);
  await deleteLikesOf(tx, 'comment', gone);
  await deleteMentionsIn(tx, 'comment', gone);
  return gone.length > 0;
};

/** All that was said under content that is deleted, with its likes and mentions. */
export const deleteCommentsOn = async (tx: Tx, kind: ContentNoun, content_ids: readonly number[]) => {
  const gone = await tx.values<number>(sql`
    with gone as (
      delete from comments
      where organisation_id = $1 and kind = ${kind} and content_id = any(${content_ids}::bigint[]) returning id),
    note as (${noted('comment', 'gone', tx.now())})
    select id from gone`);
  await deleteLikesOf(tx, 'comment', gone);
  await deleteMentionsIn(tx, 'comment', gone);
};

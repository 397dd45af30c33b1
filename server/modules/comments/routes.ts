import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseForbidden, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, type Routes, routes } from '../../kernel/http/routes.ts';
import { contentFor } from '../content/access.ts';
import { type ContentNoun, contentNouns } from '../content/contract.ts';
import { like, unlike } from '../likes/access.ts';
import { listLikes } from '../likes/queries.ts';
import { type Mentioning, mentionedIn } from '../mentions/access.ts';
import { replaceMentions } from '../mentions/queries.ts';
import { authorOf, importedAt, type NamedPerson } from '../users/access.ts';
import { happened } from '../users/happenings.ts';
import { commentFor } from './access.ts';
import { comments, commentsUnder } from './contract.ts';
import * as queries from './queries.ts';

type Asked = Pick<Call, 'tx' | 'actor'>;

/** Of one noun. */
const under = (noun: ContentNoun) =>
  routes(commentsUnder(noun), {
    async listComments({ tx, actor, params, query }) {
      const { id, may_edit } = await contentFor(tx, actor, noun, params.id);
      return queries.listComments(tx, noun, id, null, { actor, may_edit }, query);
    },
    createComment: (call) => create(call, noun, call.params.id, call.body.comment_parent_id ?? undefined, call.body),
    listReplies: async (call) => {
      const { content_id, id, may_edit } = await commentUnder(call, noun);
      return queries.listComments(call.tx, noun, content_id, id, { actor: call.actor, may_edit }, call.query);
    },
    createReply: async (call) => {
      const comment = await commentUnder(call, noun);
      return create(call, noun, comment.content_id, comment.id, call.body);
    },
    listLikes: async (call) => listLikes(call.tx, 'comment', (await commentUnder(call, noun)).id, call.query),
    like: async (call) => like(call, 'comment', (await commentUnder(call, noun)).id, call.body),
    unlike: async (call) => unlike(call, 'comment', (await commentUnder(call, noun)).id, call.query),
  });

export const commentRoutes: readonly Routes[] = [
  ...contentNouns.map(under),
  routes(comments, {
    async getComment(call) {
      const { id, may_edit } = await commentFor(call, call.params.id);
      return queries.getComment(call.tx, id, { actor: call.actor, may_edit });
    },
    replaceComment: (call) =>
      call.tx.transaction(async (tx) => {
        const comment = await commentFor({ ...call, tx }, call.params.id);
        if (call.actor.kind !== 'key' && comment.creator_id !== call.actor.user_id)
          refuseForbidden('Only its author changes a comment.');
        await queries.updateComment(tx, comment.id, call.body.text);
        await replaceMentions(tx, 'comment', comment.id, await mentionedIn(tx, call.actor, call.body));
        await happened(tx, { kind: 'comment_changed', thing_id: comment.id, actor_id: call.actor.user_id });
        return queries.getComment(tx, comment.id, { actor: call.actor, may_edit: comment.may_edit });
      }),
    deleteComment: async (call) => {
      const { actor, tx } = call;
      const comment = await commentFor(call, call.params.id);
      const isOwn = comment.creator_id === actor.user_id;
      if (actor.kind !== 'key' && !isOwn && !comment.may_edit && !actor.roles.includes('moderator'))
        refuseForbidden('Only its author, editors of the content and moderators delete a comment.');
      if (!(await tx.transaction((inside) => queries.deleteComment(inside, comment)))) refuseNotFound();
      return toJson({ id: comment.id, external_id: comment.external_id });
    },
  }),
];

/** The comment under this content. */
async function commentUnder(call: Asked & { params: { id: Key; comment_id: number } }, noun: ContentNoun) {
  const { tx, actor, params } = call;
  const content = await contentFor(tx, actor, noun, params.id);
  const comment = await queries.findComment(tx, params.comment_id);
  return comment?.kind === noun && comment.content_id === content.id
    ? { ...comment, may_edit: content.may_edit }
    : refuseNotFound();
}

interface WrittenComment extends Mentioning, NamedPerson {
  text: string;
  comment_external_id?: string | null;
  created_at?: string;
}

const create = ({ tx, actor }: Asked, noun: ContentNoun, key: Key, parent: number | undefined, body: WrittenComment) =>
  tx.transaction(async (inside) => {
    const content = await contentFor(inside, actor, noun, key);
    const creator_id = await authorOf(inside, actor, body);
    const id = await queries.insertComment(inside, {
      kind: noun,
      content_id: content.id,
      parent_id: await threadOf(inside, parent),
      external_id: body.comment_external_id ?? null,
      text: body.text,
      creator_id,
      created_at: importedAt(inside, actor, body.created_at),
    });
    if (id === undefined)
      return parent === undefined
        ? refuseNotFound()
        : refuse('parent_not_found', 'There is no such comment on this content.', { path: 'comment_parent_id' });
    await replaceMentions(inside, 'comment', id, await mentionedIn(inside, actor, body));
    await happened(inside, { kind: 'comment', thing_id: id, actor_id: actor.user_id });
    return queries.getComment(inside, id, { actor, may_edit: content.may_edit });
  });

/** Threads are one level deep: a reply to a reply joins the thread of the first comment. */
const threadOf = async (tx: Tx, parent: number | undefined) =>
  parent === undefined ? null : ((await queries.findComment(tx, parent))?.parent_id ?? parent);

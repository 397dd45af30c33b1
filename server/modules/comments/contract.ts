import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import {
  authorship,
  type ContentNoun,
  contentExamples,
  Person,
  plurals,
  ReactionCounts,
  Viewer,
} from '../content/contract.ts';
import { type LikeOperations, likesUnder } from '../likes/contract.ts';
import { Mention, mentioned } from '../mentions/contract.ts';

const TEXT_MAX = 20_000;
export const Comment = t.Object(
  {
    id: t.Id(),
    comment_id: t.Id('The same as id.'),
    external_id: t.Nullable(t.ExternalId()),
    comment_external_id: t.Nullable(t.ExternalId('The same as external_id.')),
    comment_parent_id: t.Nullable(t.Id('The comment that it replies to.')),
    content_type: t.Text(20),
    content_id: t.Id(),
    text: t.Text(TEXT_MAX),
    user_id: t.Id(),
    user_external_id: t.Nullable(t.ExternalId()),
    user: Person,
    creator: Person,
    mentions: t.Array(Mention),
    likes_count: t.Integer(),
    reactions: ReactionCounts,
    replies_count: t.Integer(),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
    sequence: t.Integer(),
    viewer: t.Optional(Viewer),
  },
  { title: 'Comment' },
);

const written = {
  text: t.RequiredText(TEXT_MAX, 'Plain. A single space is accepted.'),
  ...mentioned,
};
const NewReply = t.Object({
  ...written,
  comment_external_id: t.Optional(t.Nullable(t.ExternalId("The caller's own identifier."))),
  ...authorship,
  external_user_id: t.Optional(t.ExternalId('The same as user_external_id.')),
});
const NewComment = t.Object({
  ...NewReply.properties,
  comment_parent_id: t.Optional(t.Nullable(t.Id('Makes it a reply to that comment.'))),
});

const reads = { scope: 'comments.*.read' } as const;
const writes = { scope: 'comments.*.write', documented: 'multipart' } as const;
const errors = { comment_external_id_taken: 409, user_not_found: 400, parent_not_found: 400 } as const;

type Pair = readonly [byId: string, byExternalId: string];
interface CommentOperations {
  list: Pair;
  create: Pair;
  listReplies: Pair;
  reply: Pair;
  likes: LikeOperations;
}
const operations: Record<ContentNoun, CommentOperations> = {
  page: {
    list: ['listPageComments', 'listPageCommentsByExternalId'],
    create: ['createPageComment', 'createPageCommentByExternalId'],
    listReplies: ['listPageCommentReplies', 'listPageCommentRepliesByExternalId'],
    reply: ['createPageCommentReply', 'createPageCommentReplyByExternalId'],
    likes: {
      list: ['listPageCommentLikes', 'listPageCommentLikesByExternalId'],
      like: ['likePageComment', 'likePageCommentByExternalId'],
      unlike: ['unlikePageComment', 'unlikePageCommentByExternalId'],
    },
  },
  article: {
    list: ['listArticleComments', 'listArticleCommentsByExternalId'],
    create: ['createArticleComment', 'createArticleCommentByExternalId'],
    listReplies: ['listArticleCommentReplies', 'listArticleCommentRepliesByExternalId'],
    reply: ['createArticleCommentReply', 'createArticleCommentReplyByExternalId'],
    likes: {
      list: ['listArticleCommentLikes', 'listArticleCommentLikesByExternalId'],
      like: ['likeArticleComment', 'likeArticleCommentByExternalId'],
      unlike: ['unlikeArticleComment', 'unlikeArticleCommentByExternalId'],
    },
  },
  update: {
    list: ['listUpdateComments', 'listUpdateCommentsByExternalId'],
    create: ['createUpdateComment', 'createUpdateCommentByExternalId'],
    listReplies: ['listUpdateCommentReplies', 'listUpdateCommentRepliesByExternalId'],
    reply: ['createUpdateCommentReply', 'createUpdateCommentReplyByExternalId'],
    likes: {
      list: ['listUpdateCommentLikes', 'listUpdateCommentLikesByExternalId'],
      like: ['likeUpdateComment', 'likeUpdateCommentByExternalId'],
      unlike: ['unlikeUpdateComment', 'unlikeUpdateCommentByExternalId'],
    },
  },
  kudos: {
    list: ['listKudosComments', 'listKudosCommentsByExternalId'],
    create: ['createKudosComment', 'createKudosCommentByExternalId'],
    listReplies: ['listKudosCommentReplies', 'listKudosCommentRepliesByExternalId'],
    reply: ['createKudosCommentReply', 'createKudosCommentReplyByExternalId'],
    likes: {
      list: ['listKudosCommentLikes', 'listKudosCommentLikesByExternalId'],
      like: ['likeKudosComment', 'likeKudosCommentByExternalId'],
      unlike: ['unlikeKudosComment', 'unlikeKudosCommentByExternalId'],
    },
  },
  event: {
    list: ['listEventComments', 'listEventCommentsByExternalId'],
    create: ['createEventComment', 'createEventCommentByExternalId'],
    listReplies: ['listEventCommentReplies', 'listEventCommentRepliesByExternalId'],
    reply: ['createEventCommentReply', 'createEventCommentReplyByExternalId'],
    likes: {
      list: ['listEventCommentLikes', 'listEventCommentLikesByExternalId'],
      like: ['likeEventComment', 'likeEventCommentByExternalId'],
      unlike: ['unlikeEventComment', 'unlikeEventCommentByExternalId'],
    },
  },
};
const COMMENTS = ['comments', 'What people say under content: comments, replies to them, and their likes.'] as const;

/** Comments under one noun, replies to them and their likes. */
export const commentsUnder = (noun: ContentNoun) => {
  const { id, external_id, comment_id } = contentExamples[noun];
  const { list, create, listReplies, reply, likes } = operations[noun];
  const under = `/v1/${plurals[noun]}/{id}/comments` as const;
  const params = { id, external_id, comment_id };
  return family(...COMMENTS, {
    listComments: endpoint(`GET ${under}`, `List the comments on ${noun} content`, {
      operation: list[0],
      byExternalId: list[1],
      description: 'Oldest first; replies are listed under their comment.',
      ...reads,
      list: Comment,
      example: { params: { id, external_id } },
    }),
    createComment: endpoint(`POST ${under}`, `Comment on ${noun} content`, {
      operation: create[0],
      byExternalId: create[1],
      ...writes,
      status: 201,
      body: NewComment,
      reply: Comment,
      errors,
      example: { params: { id, external_id }, body: { text: 'Well done!', user_external_id: 'E-1004' } },
    }),
    listReplies: endpoint(`GET ${under}/{comment_id}/replies`, `List the replies to a comment on ${noun} content`, {
      operation: listReplies[0],
      byExternalId: listReplies[1],
      description: 'Oldest first.',
      ...reads,
      list: Comment,
      example: { params },
    }),
    createReply: endpoint(`POST ${under}/{comment_id}/replies`, `Reply to a comment on ${noun} content`, {
      operation: reply[0],
      byExternalId: reply[1],
      description: 'A reply to a reply joins the same thread.',
      ...writes,
      status: 201,
      body: NewReply,
      reply: Comment,
      errors,
      example: { params, body: { text: 'Thank you.' } },
    }),
    ...likesUnder(`${under}/{comment_id}/likes`, `a comment on ${noun} content`, likes, params),
  });
};

const example = { params: { id: 2, external_id: 'C-1' } };
export const comments = family(...COMMENTS, {
  getComment: endpoint('GET /v1/comments/{id}', 'Read a comment', {
    byExternalId: 'getCommentByExternalId',
    ...reads,
    reply: Comment,
    example,
  }),
  replaceComment: endpoint('PUT /v1/comments/{id}', 'Change a comment', {
    byExternalId: 'replaceCommentByExternalId',
    description: 'For its author; mentions are replaced.',
    ...writes,
    body: t.Object(written),
    reply: Comment,
    example: { ...example, body: { text: 'Well done, all of you!' } },
  }),
  deleteComment: endpoint('DELETE /v1/comments/{id}', 'Delete a comment', {
    byExternalId: 'deleteCommentByExternalId',
    description: 'With its replies. For its author, editors of the content, and moderators.',
    reply: t.Object({ id: t.Id(), external_id: t.Nullable(t.ExternalId()) }),
    example,
  }),
});

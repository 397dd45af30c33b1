import {
  byBothKeys,
  type Endpoint,
  ExternalId,
  endpoint,
  Id,
  List,
  Nullable,
  Optional,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Type,
} from '../../kernel/contract/contract.ts';
import { authorship, type ContentExample, type ContentNoun, Person, plurals } from '../content/contract.ts';
import { likeList, likeRemover, likeWriter } from '../likes/contract.ts';

const TEXT_MAX = 20_000;
export const Comment = Shape(
  {
    id: Id(),
    comment_id: Id('The same as id.'),
    external_id: Nullable(ExternalId()),
    comment_external_id: Nullable(ExternalId('The same as external_id.')),
    comment_parent_id: Nullable(Id('The comment that it replies to.')),
    content_type: Text(20),
    content_id: Id(),
    text: Text(TEXT_MAX),
    user_id: Id(),
    user_external_id: Nullable(ExternalId()),
    user: Person,
    mentions: List(Shape({ id: Id(), name: Text(511) })),
    likes_count: Type.Integer(),
    replies_count: Type.Integer(),
    created_at: Timestamp(),
    updated_at: Timestamp(),
    sequence: Type.Integer(),
  },
  { title: 'Comment' },
);

const people = { maxItems: 100, 'x-separated': true };
const written = {
  text: RequiredText(TEXT_MAX, 'Plain. A single space is accepted.'),
  mentioned_user_ids: Optional(Type.Array(Id(), people)),
  mentioned_user_external_ids: Optional(Type.Array(ExternalId(), people)),
};
const NewReply = Shape({
  ...written,
  comment_external_id: Optional(Nullable(ExternalId("The caller's own identifier."))),
  ...authorship,
  external_user_id: Optional(ExternalId('The same as user_external_id.')),
});
const NewComment = Shape({
  ...NewReply.properties,
  comment_parent_id: Optional(Nullable(Id('Makes it a reply to that comment.'))),
});

const reads = { scope: 'comments.*.read' } as const;
const writes = { scope: 'comments.*.write', documented: 'multipart' } as const;
const errors = { comment_external_id_taken: 409, user_not_found: 400, parent_not_found: 400 } as const;

/** Comments and their likes under one noun; `Content` in the names stands for it. */
export const commentsUnder = (noun: ContentNoun, { id, external_id, comment_id }: ContentExample) => {
  const under = `/v1/${plurals[noun]}/{id}/comments` as const;
  const one = { params: { id, comment_id } };
  return byBothKeys(
    {
      listContentComments: endpoint({
        method: 'GET',
        path: under,
        summary: `List the comments on ${noun} content`,
        description: 'Oldest first; replies are listed under their comment.',
        ...reads,
        list: Comment,
        example: { params: { id } },
      }),
      createContentComment: endpoint({
        method: 'POST',
        path: under,
        summary: `Comment on ${noun} content`,
        ...writes,
        status: 201,
        body: NewComment,
        reply: Comment,
        errors,
        example: { params: { id }, body: { text: 'Well done!', user_external_id: 'E-1004' } },
      }),
      listContentCommentReplies: endpoint({
        method: 'GET',
        path: `${under}/{comment_id}/replies`,
        summary: `List the replies to a comment on ${noun} content`,
        description: 'Oldest first.',
        ...reads,
        list: Comment,
        example: one,
      }),
      createContentCommentReply: endpoint({
        method: 'POST',
        path: `${under}/{comment_id}/replies`,
        summary: `Reply to a comment on ${noun} content`,
        description: 'A reply to a reply joins the same thread.',
        ...writes,
        status: 201,
        body: NewReply,
        reply: Comment,
        errors,
        example: { ...one, body: { text: 'Thank you.' } },
      }),
      listContentCommentLikes: endpoint({
        ...likeList(`${under}/{comment_id}/likes`, `a comment on ${noun} content`),
        example: one,
      }),
      likeContentComment: endpoint({
        ...likeWriter(`${under}/{comment_id}/likes`, `a comment on ${noun} content`),
        example: { ...one, body: {} },
      }),
      unlikeContentComment: endpoint({
        ...likeRemover(`${under}/{comment_id}/likes`, `a comment on ${noun} content`),
        example: one,
      }),
    },
    external_id,
  );
};

const byId = { path: '/v1/comments/{id}' } as const;
export const comments = byBothKeys(
  {
    getComment: endpoint({
      method: 'GET',
      ...byId,
      summary: 'Read a comment',
      ...reads,
      reply: Comment,
      example: { params: { id: 2 } },
    }),
    replaceComment: endpoint({
      method: 'PUT',
      ...byId,
      summary: 'Change a comment',
      description: 'For its author; mentions are replaced.',
      ...writes,
      body: Shape(written),
      reply: Comment,
      example: { params: { id: 2 }, body: { text: 'Well done, all of you!' } },
    }),
    deleteComment: endpoint({
      method: 'DELETE',
      ...byId,
      summary: 'Delete a comment',
      description: 'With its replies. For its author, editors of the content, and moderators.',
      scope: 'comments.*.write',
      reply: Shape({ id: Id(), external_id: Nullable(ExternalId()) }),
      example: { params: { id: 2 } },
    }),
  } satisfies Record<string, Endpoint>,
  'C-1',
);

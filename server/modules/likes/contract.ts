import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { authorship, type ContentNoun, contentExamples, Person, plurals } from '../content/contract.ts';

export const Like = t.Object(
  {
    user_id: t.Id(),
    user_external_id: t.Nullable(t.ExternalId()),
    user: Person,
    creator: Person,
    created_at: t.Timestamp(),
  },
  { title: 'Like' },
);
const Unliked = t.Object({ user_id: t.Id(), likes_count: t.Integer() });
const { user_id, user_external_id } = authorship;
const external_user_id = t.Optional(t.ExternalId('The same as user_external_id.'));

/** Operations of the likes of something: by its own id, and by the caller's. */
export interface LikeOperations {
  list: readonly [byId: string, byExternalId: string];
  like: readonly [byId: string, byExternalId: string];
  unlike: readonly [byId: string, byExternalId: string];
}
/** The likes of what is under `path`; `of` names it in a sentence. */
export const likesUnder = <const P extends `/${string}`>(
  path: P,
  of: string,
  operations: LikeOperations,
  params: Record<string, string | number>,
) => ({
  listLikes: endpoint(`GET ${path}`, `List the likes of ${of}`, {
    operation: operations.list[0],
    byExternalId: operations.list[1],
    scope: 'likes.*.read',
    description: 'Oldest first.',
    list: Like,
    example: { params },
  }),
  like: endpoint(`POST ${path}`, `Like ${of}`, {
    operation: operations.like[0],
    byExternalId: operations.like[1],
    scope: 'likes.*.write',
    description: 'As the caller, or as the person whom a key names. Liking twice is one like.',
    body: t.Object({ ...authorship, external_user_id }),
    reply: Like,
    errors: { user_not_found: 400 },
    example: { params, body: { user_external_id: 'E-1004' } },
  }),
  unlike: endpoint(`DELETE ${path}`, `Take back the like of ${of}`, {
    operation: operations.unlike[0],
    byExternalId: operations.unlike[1],
    scope: 'likes.*.write',
    query: t.Object({ user_id, user_external_id, external_user_id }),
    reply: Unliked,
    errors: { user_not_found: 400 },
    example: { params, query: { user_external_id: 'E-1004' } },
  }),
});

const operations: Record<ContentNoun, LikeOperations> = {
  page: {
    list: ['listPageLikes', 'listPageLikesByExternalId'],
    like: ['likePage', 'likePageByExternalId'],
    unlike: ['unlikePage', 'unlikePageByExternalId'],
  },
  article: {
    list: ['listArticleLikes', 'listArticleLikesByExternalId'],
    like: ['likeArticle', 'likeArticleByExternalId'],
    unlike: ['unlikeArticle', 'unlikeArticleByExternalId'],
  },
  update: {
    list: ['listUpdateLikes', 'listUpdateLikesByExternalId'],
    like: ['likeUpdate', 'likeUpdateByExternalId'],
    unlike: ['unlikeUpdate', 'unlikeUpdateByExternalId'],
  },
  kudos: {
    list: ['listKudosLikes', 'listKudosLikesByExternalId'],
    like: ['likeKudos', 'likeKudosByExternalId'],
    unlike: ['unlikeKudos', 'unlikeKudosByExternalId'],
  },
  event: {
    list: ['listEventLikes', 'listEventLikesByExternalId'],
    like: ['likeEvent', 'likeEventByExternalId'],
    unlike: ['unlikeEvent', 'unlikeEventByExternalId'],
  },
};
export const likesOf = (noun: ContentNoun) => {
  const { id, external_id } = contentExamples[noun];
  const path = `/v1/${plurals[noun]}/{id}/likes` as const;
  return family('likes', 'Who likes what.', likesUnder(path, `${noun} content`, operations[noun], { id, external_id }));
};

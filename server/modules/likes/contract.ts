import {
  byBothKeys,
  ExternalId,
  endpoint,
  Id,
  Nullable,
  Optional,
  Shape,
  Timestamp,
  Type,
} from '../../kernel/contract/contract.ts';
import { authorship, type ContentExample, type ContentNoun, Person, plurals } from '../content/contract.ts';

export const Like = Shape(
  { user_id: Id(), user_external_id: Nullable(ExternalId()), user: Person, created_at: Timestamp() },
  { title: 'Like' },
);
const Unliked = Shape({ user_id: Id(), likes_count: Type.Integer() });
const { user_id, user_external_id } = authorship;
const external_user_id = Optional(ExternalId('The same as user_external_id.'));

export const likeList = <const P extends string>(path: P, of: string) =>
  ({
    method: 'GET',
    path,
    summary: `List the likes of ${of}`,
    description: 'Oldest first.',
    scope: 'likes.*.read',
    list: Like,
  }) as const;
export const likeWriter = <const P extends string>(path: P, of: string) =>
  ({
    method: 'POST',
    path,
    summary: `Like ${of}`,
    description: 'As the caller, or as the person whom a key names. Liking twice is one like.',
    scope: 'likes.*.write',
    body: Shape({ ...authorship, external_user_id }),
    documented: 'json',
    reply: Like,
    errors: { user_not_found: 400 },
  }) as const;
export const likeRemover = <const P extends string>(path: P, of: string) =>
  ({
    method: 'DELETE',
    path,
    summary: `Take back the like of ${of}`,
    scope: 'likes.*.write',
    query: Shape({ user_id, user_external_id, external_user_id }),
    reply: Unliked,
    errors: { user_not_found: 400 },
  }) as const;

/** Likes of one noun; `Content` in the names stands for it. */
export const likesOf = (noun: ContentNoun, { id, external_id }: ContentExample) => {
  const path = `/v1/${plurals[noun]}/{id}/likes` as const;
  const of = `${noun} content`;
  return byBothKeys(
    {
      listContentLikes: endpoint({ ...likeList(path, of), example: { params: { id } } }),
      likeContent: endpoint({
        ...likeWriter(path, of),
        example: { params: { id }, body: { user_external_id: 'E-1004' } },
      }),
      unlikeContent: endpoint({ ...likeRemover(path, of), example: { params: { id } } }),
    },
    external_id,
  );
};

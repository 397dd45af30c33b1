// What updates, kudos, articles, events and pages have in common: they are liked and commented on.
import type { Static } from 'typebox';
import type * as comments from '../../../server/modules/comments/contract.ts';
import type * as content from '../../../server/modules/content/contract.ts';
import type * as likes from '../../../server/modules/likes/contract.ts';
import { request } from '../../kernel/call.ts';
import { type List, list } from '../../kernel/lists.ts';
import { change, put } from '../../kernel/rows.ts';
import { type Mention, mentionedIn } from '../mentions/data.ts';

/** The plural, as in addresses. */
export type Kind = 'updates' | 'kudos' | 'articles' | 'events' | 'pages';
export const nouns = {
  updates: 'update',
  kudos: 'kudos',
  articles: 'article',
  events: 'event',
  pages: 'page',
} as const;
export type Person = Static<typeof content.Person>;
export type Comment = Static<typeof comments.Comment>;
export type Like = Static<typeof likes.Like>;
export type Viewer = Static<typeof content.Viewer>;
export interface Counted {
  id: number;
  likes_count?: number;
  comments_count?: number;
  viewer?: Viewer;
}

const LIKES_SHOWN = 100;
export const readLikes = async (kind: Kind, id: number) =>
  (await request<Like[]>(`GET /v1/${kind}/${id}/likes`, { query: { take: LIKES_SHOWN } })).data;

/** Shown at once, and taken back if the server refuses. */
export async function setLike(kind: Kind, { id, likes_count = 0, viewer }: Counted, isLiked: boolean) {
  const undo = change<Counted>(kind, id, {
    likes_count: likes_count + (isLiked ? 1 : -1),
    ...(viewer && { viewer: { ...viewer, liked_by_me: isLiked } }),
  });
  const method = isLiked ? 'POST' : 'DELETE';
  await request(`${method} /v1/${kind}/${id}/likes`, isLiked ? { body: {} } : {}).catch((error) => {
    undo();
    throw error;
  });
}

export const commentsOf = (kind: Kind, id: number): List =>
  list(`comments/${kind}/${id}`, 'comments', (skip, take) =>
    request<Comment[]>(`GET /v1/${kind}/${id}/comments`, { query: { skip, take } }),
  );

export async function addComment(kind: Kind, thing: Counted, text: string, mentions: readonly Mention[]) {
  const body = { text, ...mentionedIn(text, mentions) };
  const { data } = await request<Comment>(`POST /v1/${kind}/${thing.id}/comments`, { body });
  const comments = commentsOf(kind, thing.id);
  await comments.refresh();
  change<Counted>(kind, thing.id, { comments_count: (thing.comments_count ?? 0) + 1 });
  return data;
}

export async function changeComment(id: number, text: string, mentions: readonly Mention[]) {
  const body = { text, ...mentionedIn(text, mentions) };
  put('comments', (await request<Comment>(`PUT /v1/comments/${id}`, { body })).data);
}

export async function deleteComment(kind: Kind, thing: Counted, id: number) {
  await request(`DELETE /v1/comments/${id}`);
  commentsOf(kind, thing.id).remove('comments', id);
  change<Counted>(kind, thing.id, { comments_count: Math.max((thing.comments_count ?? 0) - 1, 0) });
}

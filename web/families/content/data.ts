// What updates, kudos, articles, events and pages have in common: they are liked and commented on.
import type { Static } from 'typebox';
import type * as comments from '../../../server/modules/comments/contract.ts';
import type * as content from '../../../server/modules/content/contract.ts';
import type * as reactions from '../../../server/modules/reactions/contract.ts';
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
export type Viewer = Static<typeof content.Viewer>;
export interface Counted {
  id: number;
  reactions?: content.ReactionCounts;
  comments_count?: number;
  viewer?: Viewer;
}

export type ReactionName = content.ReactionName;
export type Reaction = Static<typeof reactions.Reaction>;
const typeOf = { ...nouns, comments: 'comment' } as const;
export type Reactable = keyof typeof typeOf;

const SHOWN = 100;
export const readReactions = async (kind: Reactable, id: number) =>
  (await request<Reaction[]>(`GET /v1/reactions/${typeOf[kind]}/${id}`, { query: { take: SHOWN } })).data;

/** Shown at once, and taken back if the server refuses. Null takes it back. */
export async function react(kind: Reactable, { id, reactions = {}, viewer }: Counted, reaction: ReactionName | null) {
  const counted: typeof reactions = { ...reactions };
  const former = viewer?.reaction;
  if (former) counted[former] = (counted[former] ?? 1) - 1;
  if (reaction) counted[reaction] = (counted[reaction] ?? 0) + 1;
  const undo = change<Counted>(kind, id, { reactions: counted, ...(viewer && { viewer: { ...viewer, reaction } }) });
  const path = `/v1/reactions/${typeOf[kind]}/${id}`;
  await (reaction ? request(`PUT ${path}`, { body: { reaction } }) : request(`DELETE ${path}`)).catch((error) => {
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

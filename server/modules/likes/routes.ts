import type { Key } from '../../kernel/contract/contract.ts';
import { type Call, type Routes, routes } from '../../kernel/http/routes.ts';
import { contentFor } from '../content/access.ts';
import { type ContentNoun, contentNouns } from '../content/contract.ts';
import { like, unlike } from './access.ts';
import { likesOf } from './contract.ts';
import { listLikes } from './queries.ts';

const idOf = async ({ tx, actor }: Pick<Call, 'tx' | 'actor'>, noun: ContentNoun, key: Key) =>
  (await contentFor(tx, actor, noun, key)).id;

export const likeRoutes: readonly Routes[] = contentNouns.map((noun) =>
  routes(likesOf(noun), {
    listLikes: async (call) => listLikes(call.tx, noun, await idOf(call, noun, call.params.id), call.query),
    like: async (call) => like(call, noun, await idOf(call, noun, call.params.id), call.body),
    unlike: async (call) => unlike(call, noun, await idOf(call, noun, call.params.id), call.query),
  }),
);

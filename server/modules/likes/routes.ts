import type { Key } from '../../kernel/contract/contract.ts';
import { type Call, keyedRoutes, named, type Routes } from '../../kernel/http/routes.ts';
import { contentFor } from '../content/access.ts';
import { type ContentNoun, contentExamples } from '../content/contract.ts';
import { like, unlike } from './access.ts';
import { likesOf } from './contract.ts';
import * as queries from './queries.ts';

const idOf = async ({ tx, actor }: Pick<Call, 'tx' | 'actor'>, noun: ContentNoun, key: Key) =>
  (await contentFor(tx, actor, noun, key)).id;

export const likeRoutes: readonly Routes[] = contentExamples.map(([noun, example]) =>
  named(
    noun,
    keyedRoutes('likes', 'Who likes what.', likesOf(noun, example), {
      listContentLikes: async (call) =>
        queries.listLikes(call.tx, noun, await idOf(call, noun, call.params.id), call.query),
      likeContent: async (call) => like(call, noun, await idOf(call, noun, call.params.id), call.body),
      unlikeContent: async (call) => unlike(call, noun, await idOf(call, noun, call.params.id), call.query),
    }),
  ),
);

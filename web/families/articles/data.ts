import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';

export type Article = ReplyOf<Contract['GET /v1/articles']>[number];

export const articles = (state: 'published' | 'draft' | 'scheduled' = 'published') =>
  list(`articles/${state}`, 'articles', (skip, take) => call('GET /v1/articles', { query: { skip, take, state } }));
/** By its name in the address; also one that is archived. */
export const readArticle = async (slug: string) =>
  (await call('GET /v1/articles', { query: { slug, state: 'all', sign_url: true, take: 1 } })).data[0];

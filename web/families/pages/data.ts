import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';

export type Page = ReplyOf<Contract['GET /v1/pages/{id}']>;

/** Of a space, or those that belong to none. */
export const pagesOf = (space_id: number | undefined) =>
  list(`pages/${space_id ?? ''}`, 'page-titles', (skip, take) =>
    call('GET /v1/pages', { query: { skip, take, ...(space_id ? { space_id } : {}) } }),
  );
export const readPage = (id: number) => call('GET /v1/pages/{id}', { params: { id }, query: { sign_url: true } });

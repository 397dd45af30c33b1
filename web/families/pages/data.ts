import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';

export type Page = ReplyOf<Contract['GET /v1/pages/{id}']>;

export const readPage = (id: number) => call('GET /v1/pages/{id}', { params: { id }, query: { sign_url: true } });

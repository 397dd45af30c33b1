import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';

export type Person = ReplyOf<Contract['GET /v1/users/{id}']>;

export const people = () => list('users', 'users', (skip, take) => call('GET /v1/users', { query: { skip, take } }));
export const readPerson = (id: number) =>
  call('GET /v1/users/{id}', { params: { id }, query: { expand: 'teams,spaces,manager' } });

import { type Answer, call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import { me } from '../../kernel/session.ts';

export type Space = ReplyOf<Contract['GET /v1/spaces/{id}']>;
export type Member = ReplyOf<Contract['GET /v1/spaces/{id}/users']>[number];

export const spaces = () =>
  list('spaces', 'spaces', (skip, take) => call('GET /v1/spaces', { query: { skip, take, is_archived: false } }));
export const readSpace = (id: number) => call('GET /v1/spaces/{id}', { params: { id } });
export const membersOf = (id: number) =>
  list(`spaces/${id}/users`, 'members', (skip, take) =>
    call('GET /v1/spaces/{id}/users', { params: { id }, query: { skip, take } }),
  );
export const updatesOf = (id: number) =>
  list(`spaces/${id}/updates`, 'updates', (skip, take) =>
    call('GET /v1/updates', { query: { skip, take, space_ids: [String(id)] } }),
  );

/** The spaces that this person belongs to. */
export async function spacesToPostIn(): Promise<{ id: number; name: string }[]> {
  const { data }: Answer<ReplyOf<Contract['GET /v1/users/{id}']>> = await call('GET /v1/users/{id}', {
    params: { id: me().id },
    query: { expand: 'spaces' },
  });
  return data.spaces ?? [];
}

import { type Answer, call } from '../../kernel/call.ts';
import type { BodyOf, Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import { change } from '../../kernel/rows.ts';
import { me } from '../../kernel/session.ts';

export type Space = ReplyOf<Contract['GET /v1/spaces/{id}']>;
export type Member = ReplyOf<Contract['GET /v1/spaces/{id}/users']>[number];
export type Membership = ReplyOf<Contract['GET /v1/spaces/{id}/membership']>;
export type Featured = ReplyOf<Contract['GET /v1/spaces/{id}/featured']>['items'][number];
type Change = BodyOf<Contract['PATCH /v1/spaces/{id}/users']>;

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
export const eventsOf = (id: number) =>
  list(`spaces/${id}/events`, 'events', (skip, take) =>
    call('GET /v1/events', { query: { skip, take, space_ids: [String(id)], state: 'upcoming' } }),
  );

export const readMembership = async (id: number) =>
  (await call('GET /v1/spaces/{id}/membership', { params: { id } })).data;
export async function setMember(space: Space, isMember: boolean) {
  const route = isMember ? 'POST /v1/spaces/{id}/membership' : 'DELETE /v1/spaces/{id}/membership';
  const { data } = await call(route, { params: { id: space.id } });
  change<Space>('spaces', space.id, { member_count: space.member_count + (isMember ? 1 : -1) });
  await membersOf(space.id).refresh();
  return data;
}
/** For who manages the space. */
export async function changeMembers(id: number, body: Change) {
  const { data } = await call('PATCH /v1/spaces/{id}/users', { params: { id }, body });
  change<Space>('spaces', id, { member_count: data.member_count });
  await membersOf(id).refresh();
}

/** What the space shows at its top, by its addresses. */
export const readFeatured = async (id: number) =>
  (await call('GET /v1/spaces/{id}/featured', { params: { id } })).data.items;

/** The spaces that this person belongs to. */
export async function spacesToPostIn(): Promise<{ id: number; name: string }[]> {
  const { data }: Answer<ReplyOf<Contract['GET /v1/users/{id}']>> = await call('GET /v1/users/{id}', {
    params: { id: me().id },
    query: { expand: 'spaces' },
  });
  return data.spaces ?? [];
}

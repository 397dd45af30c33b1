// Kudos as they are shown to everybody, the badges they carry, and the values they refer to.
import { call } from '../../kernel/call.ts';
import type { Contract, QueryOf, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import type { Choice } from '../../ui/picker.tsx';
import type { Written } from '../posts/data.ts';

export type Badge = ReplyOf<Contract['GET /v1/badges/{id}']>;
export type Goal = ReplyOf<Contract['GET /v1/goals/{id}']>;
export type Holder = ReplyOf<Contract['GET /v1/badges/{id}/users']>[number];
export type Wanted = Pick<
  QueryOf<Contract['GET /v1/kudos']>,
  'recipient_id' | 'recipient_team_id' | 'badge_id' | 'goal_id' | 'creator_id'
>;

export const kudosWall = (wanted: Wanted = {}) =>
  list(`kudos?${JSON.stringify(wanted)}`, 'kudos', (skip, take) =>
    call('GET /v1/kudos', { query: { ...wanted, skip, take } }),
  );

const few = { take: 100 };
export const readBadges = async () => (await call('GET /v1/badges', { query: few })).data;
export const badgesOf = async (user_id: number) => (await call('GET /v1/badges', { query: { ...few, user_id } })).data;
export const readBadge = (id: number) => call('GET /v1/badges/{id}', { params: { id } });
export const holdersOf = async (id: number) =>
  (await call('GET /v1/badges/{id}/users', { params: { id }, query: { take: 60 } })).data;
/** The values that are offered to those who write. */
export const readGoals = async () => (await call('GET /v1/goals', { query: { ...few, is_active: true } })).data;
export const readGoal = (id: number) => call('GET /v1/goals/{id}', { params: { id } });

interface Given {
  to: readonly Choice[];
  badge_id: number | undefined;
  goal_id: number | undefined;
}
/** In public, to everybody. */
export function thank(written: Written, { to, badge_id, goal_id }: Given) {
  const of = (type: string) => to.filter((one) => one.type === type).map(({ id }) => id);
  const recipients = { users: of('user'), teams: of('team') };
  return call('POST /v1/kudos', {
    body: { ...written, recipients, ...(badge_id ? { badge_id } : {}), ...(goal_id ? { goal_id } : {}) },
  });
}

import { call } from '../../kernel/call.ts';
import type { BodyOf, Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import { put } from '../../kernel/rows.ts';
import { type me, session } from '../../kernel/session.ts';

export type Person = ReplyOf<Contract['GET /v1/users/{id}']>;
export type Colleague = ReplyOf<Contract['GET /v1/directory']>[number];
export type Position = ReplyOf<Contract['GET /v1/directory/positions']>[number];
export type Profile = BodyOf<Contract['PUT /v1/me/profile']>;

export const PEOPLE_SHOWN = 24;
export const colleagues = (q: string, team_id: number | undefined, page: number) =>
  call('GET /v1/directory', {
    query: {
      ...(q ? { q } : {}),
      ...(team_id ? { in_teams: [team_id] } : {}),
      skip: (page - 1) * PEOPLE_SHOWN,
      take: PEOPLE_SHOWN,
    },
  });
export const teamMembers = (team_id: number) =>
  list(`teams/${team_id}/people`, 'colleagues', (skip, take) =>
    call('GET /v1/directory', { query: { in_teams: [team_id], skip, take } }),
  );

export const readPerson = (id: number) =>
  call('GET /v1/users/{id}', { params: { id }, query: { expand: 'teams,spaces,manager' } });
export const updatesBy = (creator_id: number) =>
  list(`users/${creator_id}/updates`, 'updates', (skip, take) =>
    call('GET /v1/updates', { query: { skip, take, creator_id } }),
  );

export const POSITIONS_SHOWN = 50;
/** Who reports to this person; without one, who has no manager. */
export const positions = (manager_id: number | undefined, skip = 0, take = POSITIONS_SHOWN) =>
  call('GET /v1/directory/positions', { query: { ...(manager_id ? { manager_id } : {}), skip, take } });
export const managersOf = async (id: number) =>
  (await call('GET /v1/directory/positions/{id}/managers', { params: { id } })).data;

/** What is omitted is cleared, so it is sent whole. */
export const profileOf = ({
  display_name,
  timezone,
  locale,
  mobile_phone,
  direct_dial,
}: Person | ReturnType<typeof me>) => ({ display_name, timezone, locale, mobile_phone, direct_dial }) satisfies Profile;
export async function saveProfile(profile: Profile) {
  const { data } = await call('PUT /v1/me/profile', { body: profile });
  known(data);
}
export async function savePhoto(image: File) {
  const form = new FormData();
  form.set('image', image);
  const { data } = await call('PUT /v1/me/profile-photo', { body: form as never });
  known(data);
}
function known(user: ReturnType<typeof me>) {
  put('users', user);
  if (session.value) session.value = { ...session.value, user };
}

import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';

export type Device = ReplyOf<Contract['GET /v1/sessions']>[number];
export type Key = ReplyOf<Contract['GET /v1/keys']>[number];
export type Grant = ReplyOf<Contract['GET /v1/oauth/grants']>[number];

const all = { query: { take: 100 } };
export const readDevices = async () => (await call('GET /v1/sessions', all)).data;
export const endDevice = (id: number) => call('DELETE /v1/sessions/{id}', { params: { id } });

export const changePassword = (current_password: string, new_password: string) =>
  call('PUT /v1/sessions/current/password', { body: { current_password, new_password } });

/** Of those that still work, or will. */
export const readKeys = async () => (await call('GET /v1/keys', all)).data.filter(({ revoked_at }) => !revoked_at);
export const createKey = async (name: string, scopes: string[]) =>
  (await call('POST /v1/keys', { body: { name, scopes } })).data;
export const revokeKey = (id: number) => call('DELETE /v1/keys/{id}', { params: { id } });

export const readGrants = async () => (await call('GET /v1/oauth/grants', all)).data;
export const revokeGrant = (id: number) => call('DELETE /v1/oauth/grants/{id}', { params: { id } });

export const readCalendar = async () => (await call('GET /v1/me/calendar-feed')).data;
export const createCalendar = async () => (await call('POST /v1/me/calendar-feed')).data;
export const deleteCalendar = () => call('DELETE /v1/me/calendar-feed');

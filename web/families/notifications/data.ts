// What the person is told, how many of it they have not read, and how they want to be told.
import { effect, signal } from '@preact/signals';
import { call, Refusal } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import { change } from '../../kernel/rows.ts';
import { session } from '../../kernel/session.ts';
import { locale } from '../../kernel/words.ts';

export type Notification = ReplyOf<Contract['GET /v1/notifications']>[number];
export type Settings = ReplyOf<Contract['GET /v1/notifications/settings']>;
export type Mute = ReplyOf<Contract['GET /v1/notifications/mutes']>[number];
export type Thing = Notification['thing'];

/** At most 100. */
export const unread = signal(0);
effect(() => {
  unread.value = session.value?.unread_notifications ?? 0;
});
export const countUnread = () =>
  call('GET /v1/notifications/count').then(
    ({ data }) => {
      unread.value = data.unread_count;
    },
    () => {},
  );

const read = (is_read: boolean | undefined) => (skip: number, take: number) =>
  call('GET /v1/notifications', { query: { skip, take, is_read, language: locale.peek().split('-')[0] } });
export const everything = () => list('notifications', 'notifications', read(undefined));
export const notRead = () => list('notifications/unread', 'notifications', read(false));

/** Something is new, or was read on another device. */
export async function lookAgain() {
  await countUnread();
  for (const one of [everything(), notRead()]) if (one.items.peek()) void one.refresh();
}

/** Shown at once. */
export async function markRead(id: number) {
  const undo = change<Notification>('notifications', id, { is_read: true });
  await call('POST /v1/notifications/read', { body: { ids: [id] } }).catch((error) => {
    undo();
    throw error;
  });
  await countUnread();
}
export async function markAllRead(latest: number) {
  await call('POST /v1/notifications/read', { body: { until_id: latest } });
  await lookAgain();
}
/** All that is told of this thing. */
export async function markThingRead(type: Thing['type'], id: number) {
  const { data } = await call('POST /v1/notifications/read', { body: { thing: { type, id } } });
  if (data.read_count > 0) await lookAgain();
}

type Muted = Mute['type'];
export const isMutable = ({ type }: Thing): boolean => type !== 'badge';
export async function setMuted({ id, thing, is_muted }: Notification, wanted: boolean) {
  const undo = change<Notification>('notifications', id, { is_muted: wanted });
  const params = { type: thing.type as Muted, id: thing.id };
  try {
    await (wanted
      ? call('PUT /v1/notifications/mutes/{type}/{id}', { params, body: {} })
      : call('DELETE /v1/notifications/mutes/{type}/{id}', { params }));
  } catch (error) {
    const isDone = !wanted && error instanceof Refusal && error.status === 404;
    if (isDone || is_muted === wanted) return;
    undo();
    throw error;
  }
}

export const readSettings = () => call('GET /v1/notifications/settings').then(({ data }) => data);
export const writeSettings = (body: Partial<Omit<Settings, 'timezone'>>) =>
  call('PUT /v1/notifications/settings', { body }).then(({ data }) => data);
export const readMutes = () => call('GET /v1/notifications/mutes', { query: { take: 100 } }).then(({ data }) => data);
export const setLevel = ({ type, id }: Mute, level: Mute['level']) =>
  call('PUT /v1/notifications/mutes/{type}/{id}', { params: { type, id }, body: { level } });
export const unmute = ({ type, id }: Mute) =>
  call('DELETE /v1/notifications/mutes/{type}/{id}', { params: { type, id } });

import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { change } from '../../kernel/rows.ts';

export type Poll = ReplyOf<Contract['PUT /v1/updates/{id}/poll/votes']>;
/** As it is written, before it is posted. */
export interface NewPoll {
  options: string[];
  is_multiple: boolean;
  is_anonymous: boolean;
  /** A day, in the words of the field. */
  until: string;
}
export const noPoll: NewPoll = { options: ['', ''], is_multiple: false, is_anonymous: false, until: '' };
export const OPTIONS_MAX = 10;

/** As the server takes it: until the end of the day. */
export const pollBody = ({ options, until, ...more }: NewPoll) => ({
  poll: {
    ...more,
    options: options.map((text) => text.trim()).filter((text) => text !== ''),
    ...(until ? { ends_at: new Date(`${until}T23:59:59`).toISOString() } : {}),
  },
});

export async function vote(update_id: number, options: readonly number[]) {
  const body = { options: [...options] };
  const { data: poll } = await call('PUT /v1/updates/{id}/poll/votes', { params: { id: update_id }, body });
  change<{ id: number; poll: Poll }>('updates', update_id, { poll });
}

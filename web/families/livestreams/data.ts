import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';

export type Livestream = ReplyOf<Contract['GET /v1/livestreams/{id}']>;
export const livestreams = () =>
  list('livestreams', 'livestreams', (skip, take) => call('GET /v1/livestreams', { query: { skip, take } }));
export const readLivestream = (id: number) => call('GET /v1/livestreams/{id}', { params: { id } });

export const stateOf = ({ started_at, ended_at, video }: Livestream) => {
  if (ended_at) return video ? 'recorded' : 'ended';
  return started_at && new Date(started_at) <= new Date() ? 'live' : 'planned';
};

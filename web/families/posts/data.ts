import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { type NewPoll, pollBody } from '../polls/data.ts';

export type Update = ReplyOf<Contract['GET /v1/updates/{id}']>;
export type Kudos = ReplyOf<Contract['GET /v1/kudos/{id}']>;

export const readUpdate = (id: number) => call('GET /v1/updates/{id}', { params: { id } });
export const readKudos = (id: number) => call('GET /v1/kudos/{id}', { params: { id } });

export type Written = ({ text: string } | { html: string }) & { gallery_ids?: number[]; attachment_ids?: number[] };
/** To everybody, or to one space. */
export const postUpdate = (written: Written, space_id: number | undefined, poll?: NewPoll) =>
  call('POST /v1/updates', {
    body: {
      ...written,
      ...(poll && pollBody(poll)),
      ...(space_id ? { audience: { type: 'spaces', spaces: [space_id] } } : {}),
    },
  });
export const deletePost = (kind: 'updates' | 'kudos', id: number) =>
  call(`DELETE /v1/${kind}/{id}` as 'DELETE /v1/updates/{id}', { params: { id } });

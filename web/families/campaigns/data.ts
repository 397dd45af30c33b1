import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';

export type Campaign = ReplyOf<Contract['GET /v1/campaigns/{id}']>;
export const readCampaigns = async () => (await call('GET /v1/campaigns', { query: { take: 100 } })).data;
export const readCampaign = (id: number) => call('GET /v1/campaigns/{id}', { params: { id } });

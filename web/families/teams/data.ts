import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';

export type Team = ReplyOf<Contract['GET /v1/teams/{id}']>;
export const readTeam = (id: number) => call('GET /v1/teams/{id}', { params: { id } });

import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';

export type Billboard = ReplyOf<Contract['GET /v1/billboards/{id}']>;
/** For this person, today; what has ended since midnight is left out. */
export async function currentBillboards(): Promise<readonly Billboard[]> {
  const now = new Date();
  const today = now.toISOString().slice(0, 10);
  const { data } = await call('GET /v1/billboards', { query: { startDate: today, endDate: today, take: 10 } });
  return data.filter(
    ({ starts_at, ends_at }) => new Date(starts_at) <= now && (ends_at === null || new Date(ends_at) > now),
  );
}

// What is new, of every kind: the home feed.
import { type Answer, call } from '../../kernel/call.ts';
import { list, UNKNOWN } from '../../kernel/lists.ts';
import type { Row } from '../../kernel/rows.ts';

export interface NewsRow extends Row {
  kind: 'updates' | 'kudos' | 'articles' | 'events';
}
const kinds = { update: 'updates', kudos: 'kudos', article: 'articles', event: 'events' } as const;

/** The feed goes on after the last answer, wherever the list stands: what came meanwhile moves nothing. */
let next: string | undefined;

async function newest(skip: number, take: number): Promise<Answer<readonly NewsRow[]>> {
  const after = skip === 0 ? undefined : next;
  const { data: items, meta } = await call('GET /v1/feed', { query: { take, after } });
  next = meta.next ?? undefined;
  const data = items.map(({ type, resource }) => ({ ...(resource as unknown as Row), kind: kinds[type] }));
  return { data, meta: { pagination: { skip, take, total_records: UNKNOWN, next_page: next ?? null } } };
}

export const news = () => list('news', ({ kind }: NewsRow) => kind, newest);

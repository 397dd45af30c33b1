// What is new, of every kind: the lists of the families, merged by time.
import { type Answer, call, type Page } from '../../kernel/call.ts';
import { list } from '../../kernel/lists.ts';
import type { Row } from '../../kernel/rows.ts';

export interface NewsRow extends Row {
  kind: 'updates' | 'kudos' | 'articles' | 'events';
  created_at: string;
}
type Part = (skip: number, take: number) => Promise<Answer<readonly object[]>>;

const parts: readonly [NewsRow['kind'], Part][] = [
  ['updates', (skip, take) => call('GET /v1/updates', { query: { skip, take } })],
  ['kudos', (skip, take) => call('GET /v1/kudos', { query: { skip, take } })],
  ['articles', (skip, take) => call('GET /v1/articles', { query: { skip, take } })],
  ['events', (skip, take) => call('GET /v1/events', { query: { skip, take } })],
];

interface Waiting {
  rows: NewsRow[];
  read: number;
  isAtEnd: boolean;
}
let waiting: Waiting[] = [];

/** Of each list as many are waiting as may be next. */
async function newest(skip: number, take: number): Promise<Answer<readonly NewsRow[]>> {
  if (skip === 0) waiting = parts.map(() => ({ rows: [], read: 0, isAtEnd: false }));
  await Promise.all(
    parts.map(async ([kind, read], n) => {
      const one = waiting[n] as Waiting;
      if (one.isAtEnd || one.rows.length >= take) return;
      const { data, meta } = await read(one.read, take);
      one.rows.push(...(data as NewsRow[]).map((row) => ({ ...row, kind })));
      one.read += data.length;
      one.isAtEnd = meta.pagination?.next_page === null;
    }),
  );
  const all = waiting.flatMap(({ rows }) => rows).sort((a, b) => b.created_at.localeCompare(a.created_at));
  const data = all.slice(0, take);
  for (const one of waiting) one.rows = one.rows.filter((row) => !data.includes(row));
  const hasMore = waiting.some(({ rows, isAtEnd }) => rows.length > 0 || !isAtEnd);
  const total_records = skip + all.length;
  const pagination: Page = { skip, take, total_records, next_page: hasMore ? 'more' : null };
  return { data, meta: { pagination } };
}

export const news = () => list('news', ({ kind }: NewsRow) => kind, newest);

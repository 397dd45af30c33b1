import { call } from '../../kernel/call.ts';

export interface MustRead {
  type: 'update' | 'kudos' | 'article';
  id: number;
  title: string;
  author: string;
  due_at: string | null;
  href: string;
}
interface Shown {
  title?: string;
  text?: string;
  slug?: string;
  creator: { name: string };
  acknowledgement_due_at: string | null;
}
const PAGES_MAX = 5;
const TITLE_LENGTH = 140;
const plurals = { update: 'updates', kudos: 'kudos', article: 'articles' } as const;

/** What the person is asked to confirm: the feed puts it first. Soonest due first, then what has no date. */
export async function readMustReads(): Promise<readonly MustRead[]> {
  const found: MustRead[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { sort: 'relevant', take: 100, ...(after ? { after } : {}) } as const;
    const { data, meta } = await call('GET /v1/feed', { query });
    const asked = data.filter(({ reason }) => reason === 'must_read');
    found.push(...asked.map(({ type, id, resource }) => shown(type as MustRead['type'], id, resource as never)));
    after = meta.next ?? undefined;
    if (asked.length < data.length || !after) break;
  }
  const moment = ({ due_at }: MustRead) => (due_at ? Date.parse(due_at) : Number.POSITIVE_INFINITY);
  return found.toSorted((a, b) => Math.sign(moment(a) - moment(b)) || 0);
}
const shown = (type: MustRead['type'], id: number, { title, text, slug, creator, acknowledgement_due_at }: Shown) => ({
  type,
  id,
  title: title ?? text?.slice(0, TITLE_LENGTH) ?? '',
  author: creator.name,
  due_at: acknowledgement_due_at,
  href: `/${plurals[type]}/${slug ?? id}`,
});

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { List, Listed } from '../kernel/lists.ts';
import { type Row, row } from '../kernel/rows.ts';
import { t } from '../kernel/words.ts';
import { Button } from './button.tsx';
import { Failed, Loading } from './states.tsx';

interface Props<T extends Row> {
  list: List;
  label: string;
  empty: ComponentChildren;
  children: (shown: T, kind: string) => ComponentChildren;
}
/** A list that goes on when its end comes into view; the button is for those who do not scroll. */
export function Feed<T extends Row>({ list, label, empty, children }: Props<T>) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => void list.refresh(), [list]);
  const items = list.items.value;
  const hasMore = list.hasMore.value;
  useEffect(() => {
    if (!end.current || !hasMore) return;
    const near = { rootMargin: '400px' };
    const watching = new IntersectionObserver(([seen]) => seen?.isIntersecting && void list.more(), near);
    watching.observe(end.current);
    return () => watching.disconnect();
  }, [list, hasMore, items?.length]);
  const failed = list.failed.value;
  if (!items) return failed ? <Failed refusal={failed} again={list.refresh} /> : <Loading lines={8} />;
  if (items.length === 0) return <>{empty}</>;
  return (
    <div role="feed" aria-label={label}>
      {items.map((item, n) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the feed pattern of ARIA asks for it.
        <article key={`${item.kind}/${item.id}`} aria-posinset={n + 1} aria-setsize={list.total.value} tabIndex={0}>
          <Item {...item}>{children}</Item>
        </article>
      ))}
      <div ref={end}>
        {failed && <Failed refusal={failed} again={list.more} />}
        {hasMore && !failed && <Button onClick={list.more}>{t('action.more')}</Button>}
      </div>
    </div>
  );
}

/** Drawn again alone when its row changes; nothing where that is gone. */
function Item<T extends Row>({ kind, id, children }: Listed & Pick<Props<T>, 'children'>) {
  const shown = row<T>(kind, id).value;
  return <>{shown && children(shown, kind)}</>;
}

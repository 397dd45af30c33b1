import { useEffect } from 'preact/hooks';
import { markThingRead, type Thing, unread } from './data.ts';

/** Whoever looks at a thing has read what they are told of it, also what comes while they look. */
export function Seen({ type, id }: Pick<Thing, 'type' | 'id'>) {
  const n = unread.value;
  useEffect(() => {
    if (n > 0) markThingRead(type, id).catch(() => {});
  }, [type, id, n]);
  return null;
}

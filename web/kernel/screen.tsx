// What screens have in common: the document's title, a thing read by its id, and the states it can be in.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failed, Gone, Loading } from '../ui/states.tsx';
import { type Answer, Refusal } from './call.ts';
import { forget, put, type Row, row } from './rows.ts';
import { session } from './session.ts';

/** What an address names. */
export interface Address {
  id?: string;
  slug?: string;
  tab?: string;
  channel_url?: string;
}

export function useTitle(title: string | undefined) {
  useEffect(() => {
    document.title = [title, session.value?.organisation.name].filter(Boolean).join(' · ');
  }, [title]);
}

/** Reads once for these inputs, and again when asked to. */
export function useRead<T>(read: () => Promise<T>, inputs: readonly unknown[]) {
  const [state, setState] = useState<{ value?: T; failed?: Refusal }>({});
  const asked = useRef(0);
  const go = () => {
    const turn = ++asked.current;
    // An answer that was overtaken by a later question is none.
    const settle = (answer: { value?: T; failed?: Refusal }) => turn === asked.current && setState(answer);
    read().then(
      (value) => settle({ value }),
      (error) => settle({ failed: Refusal.of(error) }),
    );
  };
  useEffect(go, inputs);
  return { ...state, again: go };
}

interface ThingProps<T extends Row> {
  kind: string;
  id: number;
  read: (id: number) => Promise<Answer<T>>;
  title: (thing: T) => string;
  children: (thing: T, readAgain: () => void) => ComponentChildren;
}
/** One thing by its id: what is known of it at once, then as the server shows it. */
export function Thing<T extends Row>({ kind, id, read, title, children }: ThingProps<T>) {
  const known = row<T>(kind, id);
  const { failed, again } = useRead(
    () =>
      read(id).then(
        ({ data }) => put(kind, data),
        (error) => {
          if (error instanceof Refusal && error.status === 404) forget(kind, id);
          throw error;
        },
      ),
    [kind, id],
  );
  const thing = known.value;
  useTitle(thing ? title(thing) : undefined);
  if (thing === null || failed?.status === 404 || failed?.status === 400) return <Gone />;
  if (thing) return <>{children(thing, again)}</>;
  return failed ? <Failed refusal={failed} again={again} /> : <Loading />;
}

// What somebody has begun to write, kept beside every key press on this device and a moment later on the server: it is
// there after a reload, a crash and on another device.
//
//   this device   text, and the version of the server's that it was made from; `isUnsent` until that has it
//   the server    refuses a version that is not the last one; then both texts are offered and the person chooses
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call, Refusal } from '../../kernel/call.ts';
import { type Fields, type Kept, placeOf, readKept, writeKept } from '../../kernel/kept-drafts.ts';
import { me } from '../../kernel/session.ts';

const KEEP_MS = 800;

const isEmpty = (fields: Fields) => Object.values(fields).every((value) => value.trim() === '');
const isEqual = (one: Fields, other: Fields) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => (one[name] ?? '') === (other[name] ?? ''));

const found = (key: string) =>
  call('GET /v1/drafts/{key}', { params: { key } }).then(
    ({ data }) => data,
    (error) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    },
  );

export function useDraft(key: string, empty: Fields) {
  const place = placeOf(me().id, key);
  const [fields, setFields] = useState<Fields>(() => readKept(place)?.fields ?? empty);
  /** What another device wrote meanwhile. */
  const [other, setOther] = useState<{ fields: Fields; version: number }>();
  const now = useRef<Kept>({ version: 0, isUnsent: false, ...readKept(place), fields });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const sending = useRef<Promise<unknown> | undefined>(undefined);

  const store = (kept: Kept) => {
    now.current = kept;
    writeKept(place, kept.isUnsent || !isEmpty(kept.fields) ? kept : undefined);
  };
  const offer = async () => {
    const theirs = await found(key);
    if (!theirs || isEqual(theirs.fields, now.current.fields)) {
      store({ ...now.current, version: theirs?.version ?? 0, isUnsent: theirs === undefined });
      return;
    }
    setOther(theirs);
  };
  const send = async () => {
    const { fields, version, isUnsent } = now.current;
    if (!isUnsent || sending.current) return;
    const written = isEmpty(fields)
      ? call('DELETE /v1/drafts/{key}', { params: { key } }).then(() => 0)
      : call('PUT /v1/drafts/{key}', { params: { key }, body: { fields, version } }).then(({ data }) => data.version);
    sending.current = written
      .then(
        (kept) => store({ ...now.current, version: kept, isUnsent: now.current.fields !== fields }),
        (error) => (error instanceof Refusal && error.code === 'draft_changed' ? offer() : undefined),
      )
      .catch(() => {})
      .finally(() => {
        sending.current = undefined;
      });
    await sending.current;
    if (now.current.isUnsent && now.current.fields !== fields) soon();
  };
  const soon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(send, KEEP_MS);
  };

  useEffect(() => {
    const begin = async () => {
      const theirs = await found(key);
      const { fields: own, version, isUnsent } = now.current;
      if (isUnsent && !isEmpty(own)) {
        const isKept = theirs !== undefined && isEqual(theirs.fields, own);
        if (theirs && theirs.version !== version && !isKept) return setOther(theirs);
        store({ ...now.current, version: theirs?.version ?? 0, isUnsent: !isKept });
        return soon();
      }
      const fields = theirs?.fields ?? empty;
      store({ fields, version: theirs?.version ?? 0, isUnsent: false });
      if (!isEqual(fields, own)) setFields(fields);
    };
    begin().catch(() => {});
    const leave = () => document.visibilityState === 'hidden' && void send();
    addEventListener('online', send);
    document.addEventListener('visibilitychange', leave);
    return () => {
      clearTimeout(timer.current);
      void send();
      removeEventListener('online', send);
      document.removeEventListener('visibilitychange', leave);
    };
  }, [place]);

  const write = useCallback(
    (some: Fields) => {
      const fields = { ...now.current.fields, ...some };
      store({ ...now.current, fields, isUnsent: true });
      setFields(fields);
      soon();
    },
    [place],
  );
  /** It was sent, or is not wanted. */
  const forget = useCallback(async () => {
    clearTimeout(timer.current);
    setFields(empty);
    setOther(undefined);
    store({ fields: empty, version: 0, isUnsent: false });
    await sending.current;
    store({ ...now.current, version: 0 });
    // What is written meanwhile waits until the former draft is gone: it would be taken for a change of that.
    sending.current = call('DELETE /v1/drafts/{key}', { params: { key } })
      .catch(() => {})
      .finally(() => {
        sending.current = undefined;
      });
    await sending.current;
    if (now.current.isUnsent) soon();
  }, [place]);
  /** Of two texts the person chooses one. */
  const choose = (whose: 'own' | 'other') => {
    if (!other) return;
    const fields = whose === 'own' ? now.current.fields : other.fields;
    store({ fields, version: other.version, isUnsent: whose === 'own' });
    setFields(fields);
    setOther(undefined);
    soon();
  };
  return { fields, write, forget, other, choose };
}

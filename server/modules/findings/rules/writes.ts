// Rules about what programs write.
import type { Call } from '../../requests/log.ts';
import { grouped, isDone, MINUTE, pathOf, type Rule, type Seen } from './rule.ts';

const ofOperation = (calls: readonly Call[], which: (call: Call) => boolean) =>
  grouped(calls, (call) => (which(call) ? (call.operation ?? undefined) : undefined));
const namesIn = (calls: readonly Call[], of: (call: Call) => readonly string[] | undefined) =>
  [...new Set(calls.flatMap((call) => of(call) ?? []))].slice(0, 20).join(', ');

const idempotencyKey: Rule = {
  rule: 'idempotency_key',
  why: 'The header has no effect: a repeated POST writes twice.',
  advice: 'Leave it out. After a timeout, read whether the row is there (by its external id) before you send it again.',
  chapter: 'requests.md#repeating-a-write',
  judge: (calls) =>
    ofOperation(calls, ({ notes }) => notes?.includes('idempotency_key') === true).map(([subject, found]) => ({
      subject,
      seen: `${subject} was sent with Idempotency-Key.`,
      calls: found,
    })),
};

const clearedFields: Rule = {
  rule: 'cleared_fields',
  why: 'PUT replaces: what it leaves out loses its value.',
  advice: 'Read the row, change what is to be changed, and send all of it.',
  chapter: 'requests.md#put-replaces',
  judge: (calls) =>
    ofOperation(calls, (call) => isDone(call) && (call.cleared?.length ?? 0) > 0).map(([subject, found]) => ({
      subject,
      seen: `${subject} left out what had a value, and cleared it: ${namesIn(found, ({ cleared }) => cleared)}.`,
      calls: found,
    })),
};

/** It is not known whether it was done, or the first one was and nobody heard. */
const isOpenEnded = (first: Call, again: Call) =>
  first.status >= 499 || (isDone(first) && again.status === 409 && /_taken$/.test(again.code ?? ''));
const repeatedCreate: Rule = {
  rule: 'repeated_create',
  why: 'An answer that did not come says nothing about the write: repeated, it may be there twice.',
  advice: 'Look for the row by its external id, or in the newest page of its list, before you send it again.',
  chapter: 'requests.md#repeating-a-write',
  judge(calls) {
    const found = new Map<string, Seen>();
    const reads = calls.filter(({ method }) => method === 'GET');
    for (const [, same] of grouped(calls, ({ method, operation, digest }) =>
      method === 'POST' && digest !== undefined ? `${operation} ${digest}` : undefined,
    ))
      same.slice(1).forEach((again, n) => {
        const first = same[n] as Call;
        if (again.at - first.at > 10 * MINUTE || !isOpenEnded(first, again)) return;
        const hasRead = reads.some(
          (call) => call.at > first.at && call.at < again.at && pathOf(call).startsWith(pathOf(first)),
        );
        if (hasRead) return;
        const subject = first.operation ?? pathOf(first);
        const { calls: before = [] } = found.get(subject) ?? {};
        const seen = `${subject} was sent again, the same body, after a ${first.status}; nothing was read between.`;
        found.set(subject, { subject, seen, calls: [...before, first, again] });
      });
    return [...found.values()];
  },
};

const contradiction: Rule = {
  rule: 'contradiction',
  why: 'One request asks for something and its opposite: it is refused as a whole.',
  advice: 'Decide before you send: nobody is in two of its lists.',
  chapter: 'requests.md#one-request-one-meaning',
  judge: (calls) =>
    ofOperation(calls, ({ notes }) => notes?.includes('contradiction') === true).map(([subject, found]) => ({
      subject,
      seen: `${subject} named the same person in operations that contradict each other.`,
      calls: found,
    })),
};

const unknownFields: Rule = {
  rule: 'unknown_fields',
  why: 'A field that the endpoint does not have is ignored: what it should do does not happen.',
  advice: 'Compare the name with the API reference; each answer names them in meta.warnings.',
  chapter: 'requests.md#fields-that-are-not-there',
  judge: (calls) =>
    ofOperation(calls, ({ ignored }) => (ignored?.length ?? 0) > 0).map(([subject, found]) => ({
      subject,
      seen: `${subject} does not have ${namesIn(found, ({ ignored }) => ignored)}.`,
      calls: found,
    })),
};

export const writeRules = [idempotencyKey, clearedFields, repeatedCreate, contradiction, unknownFields];

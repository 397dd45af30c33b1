// Rules about how programs read.
import type { Call } from '../../requests/log.ts';
import { grouped, isDone, listName, MINUTE, pathOf, queryOf, type Rule, SECOND, type Seen } from './rule.ts';

const numberIn = (call: Call, name: string, otherwise: number) => Number(queryOf(call).get(name) ?? otherwise);
const skipOf = (call: Call) => numberIn(call, 'skip', 0);
const takeOf = (call: Call) => numberIn(call, 'take', 50);

/** Steps through one list, one after the other. */
const STEPS_MIN = 2;
const skipNotAdvanced: Rule = {
  rule: 'skip_not_advanced',
  why: 'Pages overlap or leave rows out: some come twice, or never.',
  advice: 'Add take to skip for the next page, or follow meta.pagination.next_page until it is null.',
  chapter: 'requests.md#walking-a-list',
  judge: (calls, known) =>
    grouped(calls, (call) =>
      isDone(call) && known.get(call.operation ?? '')?.isList ? listName(call) : undefined,
    ).flatMap(([, list]): Seen[] => {
      const wrong = list.slice(1).flatMap((call, n) => {
        const before = list[n] as Call;
        const step = skipOf(call) - skipOf(before);
        const isStep = step > 0 && call.at - before.at < MINUTE;
        return isStep && step !== takeOf(before) ? [{ call, before, step }] : [];
      });
      const [first] = wrong;
      if (!first || wrong.filter(({ step }) => step === first.step).length < STEPS_MIN) return [];
      const { operation } = first.call;
      const seen = `${operation} went on by ${first.step} while take was ${takeOf(first.before)}.`;
      return [{ subject: operation ?? '', seen, calls: wrong.map(({ call }) => call) }];
    }),
};

const POLLS_MIN = 12;
const POLLED_FOR = 2 * MINUTE;
const polling: Rule = {
  rule: 'polling',
  why: 'Most of these answers are what you have already, and what is new is heard late.',
  advice: 'Subscribe to its events (webhooks), or follow GET /v1/changes, which tells only what changed.',
  chapter: 'webhooks.md',
  judge: (calls, known) =>
    grouped(calls, (call) => {
      const told = isDone(call) && known.get(call.operation ?? '')?.isTold;
      return told && !queryOf(call).has('updated_after') ? call.path : undefined;
    }).flatMap(([path, same]): Seen[] => {
      const span = (same.at(-1)?.at ?? 0) - (same[0]?.at ?? 0);
      if (same.length < POLLS_MIN || span < POLLED_FOR) return [];
      const every = Math.round(span / (same.length - 1) / SECOND);
      return [{ subject: path, seen: `${path} was read ${same.length} times, every ${every} seconds.`, calls: same }];
    }),
};

const SINGLES_MIN = 20;
const nPlusOne: Rule = {
  rule: 'n_plus_one',
  why: 'A call for each row takes as many times as long as a page of them.',
  advice: 'Read the list with take=500 and pick what you need from it.',
  chapter: 'requests.md#walking-a-list',
  judge: (calls, known) =>
    grouped(calls, (call) =>
      known.get(call.operation ?? '')?.listOf ? (call.operation ?? undefined) : undefined,
    ).flatMap(([operation, singles]): Seen[] => {
      const quick = singles.filter(
        (call, n) => call.at - (singles[Math.max(0, n - SINGLES_MIN + 1)]?.at ?? 0) < MINUTE,
      );
      if (new Set(quick.map(pathOf)).size < SINGLES_MIN) return [];
      const list = known.get(operation)?.listOf;
      return [
        {
          subject: operation,
          seen: `${operation} was called ${quick.length} times in a row; ${list} has them in pages.`,
          calls: quick,
        },
      ];
    }),
};

const WALKS_MIN = 3;
const PAGES_MIN = 3;
const listToFind: Rule = {
  rule: 'list_to_find_one',
  why: 'A whole list is read to find one row, each time anew.',
  advice: 'Keep the id, or ask for the row by its external id, e-mail address or a filter of the list.',
  chapter: 'requests.md#finding-one',
  judge(calls, known) {
    const found = new Map<string, Call[]>();
    let walk: Call[] = [];
    for (const call of calls) {
      const { isList } = known.get(call.operation ?? '') ?? {};
      if (isList && skipOf(call) === 0) walk = [call];
      else if (isList && walk[0] && listName(walk[0]) === listName(call)) walk.push(call);
      else {
        const [first] = walk;
        if (first && walk.length >= PAGES_MIN && isOneOf(call, first)) {
          const name = first.operation ?? '';
          found.set(name, [...(found.get(name) ?? []), first]);
        }
        walk = [];
      }
    }
    return [...found]
      .filter(([, walks]) => walks.length >= WALKS_MIN)
      .map(([subject, walks]) => ({
        subject,
        seen: `${subject} was read page by page ${walks.length} times, each time to work on one row.`,
        calls: walks,
      }));
  },
};
const isOneOf = (call: Call, list: Call) => new RegExp(`^${pathOf(list)}/\\d+(/|$)`).test(pathOf(call));

export const readRules = [skipNotAdvanced, polling, nPlusOne, listToFind];

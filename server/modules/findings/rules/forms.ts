// Rules about forms of requests: methods, former names, tokens.
import type { Call } from '../../requests/log.ts';
import type { Knowledge } from '../known.ts';
import { grouped, placeOf, queryOf, type Rule } from './rule.ts';

const inventedMethod: Rule = {
  rule: 'invented_method',
  why: 'The path does not have this method: nothing is done.',
  advice: 'The header Allow has those that it has. Where there is only PUT, read the row and send all of it.',
  chapter: 'requests.md#put-replaces',
  judge: (calls) =>
    grouped(calls, (call) => (call.status === 405 ? placeOf(call) : undefined)).map(([subject, found]) => ({
      subject,
      seen: `${subject} is not in the interface.`,
      calls: found,
    })),
};

const deprecatedForm: Rule = {
  rule: 'deprecated_form',
  why: 'It works, and there is a form that will go on working.',
  advice: 'The API reference says what to use instead; answers of operations that end carry Deprecation and Sunset.',
  chapter: 'requests.md#forms-that-end',
  judge: (calls, known) =>
    grouped(calls, (call) => (formerIn(call, known).length > 0 ? (call.operation ?? undefined) : undefined)).map(
      ([subject, found]) => {
        const names = [...new Set(found.flatMap((call) => formerIn(call, known)))];
        return { subject, seen: `${subject} was called in a form that ends: ${names.join(', ')}.`, calls: found };
      },
    ),
};
function formerIn(call: Call, known: Knowledge): string[] {
  const { endpoint, former = [] } = known.get(call.operation ?? '') ?? {};
  if (endpoint?.deprecated) return ['the operation itself'];
  if (former.length === 0) return [];
  const names = [...queryOf(call).keys()].map((name) => name.replace(/\[.*/, ''));
  return [...new Set(names)].filter((name) => former.includes(name));
}

const SKEW = /^jwt_(expired|not_yet_valid|lifetime_too_long)$/;
const clockSkew: Rule = {
  rule: 'clock_skew',
  why: 'The clock of the program is not that of the rest of the world, or JWTs are kept for too long.',
  advice: 'Keep the clock with NTP, make a JWT just before you use it, and let exp be a few minutes away.',
  chapter: 'credentials.md',
  judge: (calls) =>
    grouped(calls, ({ code }) => (SKEW.test(code ?? '') ? code : undefined)).map(([subject, found]) => ({
      subject,
      seen: `${found.length === 1 ? 'A JWT was' : `${found.length} JWTs were`} refused: ${subject}.`,
      calls: found,
    })),
};

export const formRules = [inventedMethod, deprecatedForm, clockSkew];

// A piece of a text around what was found, as HTML: the text escaped, what was found in <mark>.
import { escaped } from '../../kernel/http/markup.ts';
import { eachRun, folded, SPACED } from './characters.ts';
import type { Lookup } from './matching.ts';
import { pairsOf } from './words.ts';

const LENGTH = 240;
const BEFORE = 60;

interface Found {
  readonly start: number;
  readonly end: number;
  readonly n: number;
}
function findIn(text: string, lookup: Lookup): Found[] {
  const found: Found[] = [];
  eachRun(text, (start, end, script) => {
    const run = folded(text.slice(start, end));
    if (script === SPACED) {
      const n = lookup(run);
      if (n !== undefined) found.push({ start, end, n });
      return;
    }
    // Marks what of the run was asked for, pair by pair; folding keeps its length, but for half widths.
    const isSame = run.length === end - start;
    let at = start;
    for (const pair of pairsOf(run)) {
      const n = lookup(pair);
      const to = isSame ? at + pair.length : end;
      if (n !== undefined) add(found, { start: isSame ? at : start, end: to, n });
      at += [...pair][0]?.length ?? 1;
    }
  });
  return found;
}
/** What overlaps becomes one. */
function add(found: Found[], one: Found) {
  const last = found.at(-1);
  if (last && one.start <= last.end) found[found.length - 1] = { ...last, end: Math.max(last.end, one.end) };
  else found.push(one);
}

/** Where most different words of the question stand together. */
function bestStart(found: readonly Found[]): number {
  let [best, start] = [0, found[0]?.start ?? 0];
  for (const [i, { start: from }] of found.entries()) {
    const near = new Set<number>();
    for (let j = i; j < found.length && (found[j] as Found).end - from <= LENGTH - BEFORE; j++)
      near.add((found[j] as Found).n);
    if (near.size > best) [best, start] = [near.size, from];
  }
  return start;
}

export function snippetOf(raw: string, lookup: Lookup): string {
  const text = raw.replace(/\s+/g, ' ').trim();
  const found = findIn(text, lookup);
  const first = bestStart(found);
  const from = first > BEFORE ? wordStart(text, first - BEFORE) : 0;
  const to = Math.min(text.length, wordStart(text, from + LENGTH));
  const parts: string[] = [from > 0 ? '… ' : ''];
  let at = from;
  for (const { start, end } of found.filter((one) => one.start >= from && one.end <= to)) {
    parts.push(escaped(text.slice(at, start)), `<mark>${escaped(text.slice(start, end))}</mark>`);
    at = end;
  }
  parts.push(escaped(text.slice(at, to)), to < text.length ? ' …' : '');
  return parts.join('').trim();
}
/** Not in the middle of a word, where one begins near enough, and never in the middle of a character. */
function wordStart(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const space = text.indexOf(' ', at);
  if (space >= 0 && space - at < 30) return space + 1;
  return text.slice(at).isWellFormed() ? at : at + 1;
}

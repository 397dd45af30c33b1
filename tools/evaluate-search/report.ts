import { languages } from './corpus.ts';
import { kinds, type Query } from './queries.ts';

export interface Asked extends Query {
  /** From 1; undefined: not among the first ten. */
  rank: number | undefined;
  ms: number;
}
/** Shares of the queries whose item is among the first ten. */
const bars = { overall: 0.95, language: 0.9, typo: 0.85 };

const recall = (asked: readonly Asked[]) => asked.filter(({ rank }) => rank !== undefined).length / asked.length;
const ndcg = (asked: readonly Asked[]) =>
  asked.reduce((sum, { rank }) => sum + (rank === undefined ? 0 : 1 / Math.log2(rank + 1)), 0) / asked.length;
const percentile = (asked: readonly Asked[], share: number) =>
  asked.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(asked.length * share)] ?? 0;

/** A table, what was not found, and the bars that were missed. */
export function report(asked: readonly Asked[]): { text: string; missed: string[] } {
  const row = (name: string, some: readonly Asked[]) =>
    `${name.padEnd(11)}${`${some.filter(({ rank }) => rank).length}/${some.length}`.padStart(9)}` +
    `${recall(some).toFixed(3).padStart(9)}${ndcg(some).toFixed(3).padStart(9)}\n`;
  const of = <Key extends 'kind' | 'language'>(key: Key, value: Query[Key]) =>
    asked.filter((one) => one[key] === value);
  const has = (some: readonly Asked[]) => some.length > 0;
  const rows = [
    ...kinds.map((kind) => ({ name: kind, some: of('kind', kind) })),
    ...languages.map((language) => ({ name: language, some: of('language', language) })),
    { name: 'all', some: asked },
  ].filter(({ some }) => has(some));
  const lost = asked
    .filter(({ rank }) => rank === undefined)
    .map(({ language, kind, q }) => `  ${language} ${kind.padEnd(9)} ${q}\n`);
  const checks = [
    { what: 'overall', some: asked, bar: bars.overall },
    ...languages.map((language) => ({ what: `in ${language}`, some: of('language', language), bar: bars.language })),
    { what: 'with a typo', some: of('kind', 'typo'), bar: bars.typo },
  ];
  return {
    text:
      `${'asked'.padEnd(11)}${'found'.padStart(9)}${'recall'.padStart(9)}${'nDCG@10'.padStart(9)}\n` +
      `${rows.map(({ name, some }) => row(name, some)).join('')}` +
      `${lost.length > 0 ? `\nNot among the first ten:\n${lost.join('')}` : ''}` +
      `\nOf a request: p50 ${percentile(asked, 0.5).toFixed(1)} ms, p95 ${percentile(asked, 0.95).toFixed(1)} ms\n`,
    missed: checks.flatMap(({ what, some, bar }) =>
      !has(some)
        ? [`nothing was asked ${what}`]
        : recall(some) < bar
          ? [`recall@10 ${what} is ${recall(some).toFixed(3)}, and should be ${bar}`]
          : [],
    ),
  };
}

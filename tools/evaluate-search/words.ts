export type Random = (below: number) => number;
/** Mulberry32: the same seed, the same numbers. */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
export const picked = <T>(list: readonly T[], random: Random) => list[random(list.length)] as T;
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const copy = [...list];
  for (let n = copy.length - 1; n > 0; n--) {
    const other = random(n + 1);
    [copy[n], copy[other]] = [copy[other] as T, copy[n] as T];
  }
  return copy;
}

const letters: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };
/** Without accents and vowel signs, as people type who leave them out. */
export const bare = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/(?<![\u3040-\u30ff])\p{M}|ـ/gu, '')
    .replace(/[ßæœøłđı]/g, (letter) => letters[letter] ?? letter)
    .replace('Ł', 'L')
    .normalize('NFC');
export const fold = (text: string) => bare(text.toLowerCase()).replace(/\s+/g, ' ').trim();

const segmenters = new Map<string, Intl.Segmenter>();
function segmenterOf(language: string): Intl.Segmenter {
  const known = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'word' });
  segmenters.set(language, known);
  return known;
}
/** Words as ICU finds them: not the words that Atrium's index is made of. */
export const wordsOf = (text: string, language: string): string[] =>
  [...segmenterOf(language).segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
export const isUnspaced = (language: string) => language === 'zh' || language === 'ja';

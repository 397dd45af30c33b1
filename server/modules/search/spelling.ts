// Words that are spelt alike.
//
// Two words share a key when their first letters are equal but for one that was left out, added, exchanged or swapped:
// each has a key for its beginning, and one for its beginning without each letter. Which of those that share a key are
// near enough is then counted.
const LETTERS_MAX = 8;
const LETTERS_MIN = 4;

/** The texts that are hashed. Words that are too short to be mistyped have none. */
export function spellingsOf(word: string): string[] {
  if (word.length < LETTERS_MIN) return [];
  const start = word.slice(0, LETTERS_MAX);
  const shorter = Array.from(start, (_, i) => start.slice(0, i) + start.slice(i + 1));
  return [...new Set([start, ...shorter])];
}

/** One slip is forgiven, in a long word two. */
export const slipsOf = (word: string): number => (word.length >= LETTERS_MAX ? 2 : 1);

/** Damerau's distance, as far as `most`; a larger one is `most` + 1. */
export function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    [before, last] = [last, row];
  }
  return Math.min(last[other.length] ?? 0, most + 1);
}

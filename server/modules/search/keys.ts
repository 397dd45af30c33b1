// An item is found by its keys: 32-bit numbers, each a hash of an organisation, a class and a text. One index holds all
// of them, and a filter is one more key.
//
// Every part is mixed in before the next, so that organisations share no lists. At a million words about one in three
// thousand shares its key with another of the organisation; a hit that holds none of the words is dropped when it is
// shown.
export const classes = {
  /** A word, anywhere. */
  word: 1,
  /** A word of a title or a name. */
  title: 2,
  /** A whole title, a name, an external id. */
  whole: 3,
  /** The first letters of a word of a title. */
  beginning: 4,
  /** One block of items, four, sixteen. */
  block: 5,
  blocks4: 6,
  blocks16: 7,
  /** What it is, who wrote it, where it is, in which language. */
  type: 8,
  creator: 9,
  space: 10,
  language: 11,
  /** Of a word of the dictionary: how it may be spelt. */
  spelling: 12,
} as const;

export type KeyOf = (kind: keyof typeof classes, text: string | number) => number;

const mixed = (hash: number): number => {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
};
export function keysFor(organisation_id: number): KeyOf {
  const own = mixed((organisation_id ^ Math.floor(organisation_id / 2 ** 32)) + 0x9e3779b9);
  const seeds = Array.from({ length: 16 }, (_, i) => mixed(own + Math.imul(i, 0x9e3779b1)));
  return (kind, text) => {
    const letters = String(text);
    let hash = seeds[classes[kind]] as number;
    for (let i = 0; i < letters.length; i++) {
      hash = Math.imul(hash ^ letters.charCodeAt(i), 0x5bd1e995);
      hash ^= hash >>> 15;
    }
    return mixed(hash ^ letters.length);
  };
}

/** About this many items make a block, in the order in which they were indexed. */
export const BLOCK_ITEMS = 16_384;
export const BEGINNING_MAX = 5;

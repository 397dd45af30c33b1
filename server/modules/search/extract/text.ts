import type { Refused } from './extract.ts';
import type { Limits } from './limits.ts';

/** Why a file gives no text. */
export class Refusal extends Error {
  readonly refused: Refused;
  constructor(refused: Refused) {
    super(refused);
    this.refused = refused;
  }
}
/** Thrown to stop reading: the text is long enough, or has taken long enough. */
export class Enough extends Error {}

/** The text as it is read, up to its limits. */
export class Text {
  #text = '';
  readonly #limits: Limits;
  readonly #began = process.cpuUsage();
  constructor(limits: Limits) {
    this.#limits = limits;
  }
  add(part: string) {
    this.#text += part;
    if (this.#text.length > this.#limits.text_length_max) throw new Enough();
  }
  /** What follows stands in a line of its own. */
  endLine() {
    if (this.#text !== '' && !this.#text.endsWith('\n')) this.add('\n');
  }
  /** Before another page or part is begun. */
  goOn() {
    const { user, system } = process.cpuUsage(this.#began);
    if ((user + system) / 1000 < this.#limits.enough_ms) return;
    throw this.isEmpty ? new Refusal('time') : new Enough();
  }
  get isEmpty() {
    return this.#text.trim() === '';
  }
  toString() {
    return this.#text
      .slice(0, this.#limits.text_length_max)
      .toWellFormed()
      .replaceAll('\r\n', '\n')
      .replace(CONTROLS, ' ')
      .trim();
  }
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL stores no \0, and nobody searches for the others.
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

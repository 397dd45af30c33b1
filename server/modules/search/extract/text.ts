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
  readonly #parts: string[] = [];
  #length = 0;
  #isEmpty = true;
  readonly #limits: Limits;
  readonly #began = process.cpuUsage();
  constructor(limits: Limits) {
    this.#limits = limits;
  }
  add(part: string) {
    if (part === '') return;
    this.#parts.push(part);
    this.#length += part.length;
    this.#isEmpty &&= part.trim() === '';
    if (this.#length > this.#limits.text_length_max) throw new Enough();
  }
  /** White space is as wide as one space, and none begins a line. */
  addFlowing(part: string) {
    const flowing = part.replace(/\s+/g, ' ');
    this.add(/^\s?$/.test(this.#last) ? flowing.trimStart() : flowing);
  }
  /** What follows stands in a line of its own. */
  endLine() {
    if (this.#last !== '' && this.#last !== '\n') this.add('\n');
  }
  /** Before another page or part is begun. */
  goOn() {
    const { user, system } = process.cpuUsage(this.#began);
    if ((user + system) / 1000 < this.#limits.enough_ms) return;
    throw this.#isEmpty ? new Refusal('time') : new Enough();
  }
  get #last() {
    return this.#parts.at(-1)?.at(-1) ?? '';
  }
  toString() {
    const text = this.#parts.join('').slice(0, this.#limits.text_length_max).toWellFormed();
    const lines = text.replaceAll('\r\n', '\n').replace(CONTROLS, ' ').split('\n');
    return lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trim();
  }
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL stores no \0, and nobody searches for the others.
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

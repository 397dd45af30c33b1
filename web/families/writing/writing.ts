// One text that somebody writes: what it was, what it is now, and what became of it elsewhere meanwhile.
import { signal } from '@preact/signals';
import type { Hold } from '../../editor/editor.tsx';
import { Refusal } from '../../kernel/call.ts';
import { keep, keptOf, letGo } from './kept.ts';

export interface Texts {
  title: string;
  subtitle: string;
  html_content: string;
}
/** As the server has it. */
export interface Base<F> {
  fields: F;
  etag?: string | undefined;
  /** Where its files are: asset://7 -> an address that is good for a while. */
  addresses: Map<string, string>;
  /** Who wrote it last, as far as that is known. */
  at?: string | undefined;
}
const KEPT_AFTER_MS = 400;
const TRIES = 3;
const isSame = <F>(one: F, other: F) => JSON.stringify(one) === JSON.stringify(other);

export class Writing<F extends Texts> {
  readonly key: string;
  readonly fields = signal<F>(undefined as never);
  /** Rises when the text as a whole becomes another. */
  readonly revision = signal(0);
  /** What somebody else has made of it. */
  readonly conflict = signal<Base<F> | undefined>(undefined);
  /** One's own text, when the other was taken. */
  readonly aside = signal<F | undefined>(undefined);
  /** Since when it waits on this device. */
  readonly restored = signal<string | undefined>(undefined);
  readonly hold: { current: Hold | undefined } = { current: undefined };
  readonly addresses: Map<string, string>;
  #base: Base<F>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(key: string, base: Base<F>) {
    this.key = key;
    this.addresses = base.addresses;
    const kept = keptOf<F>(key);
    this.#base = kept ? { ...base, fields: kept.base, etag: kept.etag } : base;
    this.fields.value = kept?.fields ?? base.fields;
    this.restored.value = kept?.at;
  }
  set(patch: Partial<F>) {
    this.fields.value = { ...this.fields.value, ...patch };
    this.typed();
  }
  typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keepNow(), KEPT_AFTER_MS);
  }
  keepNow() {
    clearTimeout(this.#timer);
    const [fields, { fields: base, etag }] = [this.written(), this.#base];
    if (isSame(fields, base)) letGo(this.key);
    else keep(this.key, { fields, base, etag, at: new Date().toISOString() });
  }
  written(): F {
    const html_content = this.hold.current?.html();
    return html_content === undefined ? this.fields.value : { ...this.fields.value, html_content };
  }
  /** Undefined: somebody else changed it, and it is for the writer to say what holds. */
  async save<T>(send: (fields: F, etag?: string) => Promise<T>, read: () => Promise<Base<F>>): Promise<T | undefined> {
    this.keepNow();
    const fields = this.written();
    for (let tries = 1; ; tries++) {
      try {
        const answer = await send(fields, this.#base.etag);
        this.end();
        return answer;
      } catch (error) {
        if (!(error instanceof Refusal && error.code === 'precondition_failed') || tries > TRIES) throw error;
        const theirs = await read();
        for (const [name, address] of theirs.addresses) this.addresses.set(name, address);
        // A like or a comment changes the thing too, but not the text.
        if (!isSame(theirs.fields, this.#base.fields)) {
          this.fields.value = fields;
          this.conflict.value = theirs;
          return undefined;
        }
        this.#base = theirs;
      }
    }
  }
  /** What is written here replaces what the other wrote, with the next saving. */
  insist() {
    if (this.conflict.value) this.#base = this.conflict.value;
    this.conflict.value = undefined;
    this.keepNow();
  }
  yield() {
    const theirs = this.conflict.value;
    if (!theirs) return;
    this.aside.value = this.written();
    this.#base = theirs;
    this.conflict.value = undefined;
    this.#show(theirs.fields);
  }
  bringBack() {
    const mine = this.aside.value;
    this.aside.value = undefined;
    if (mine) this.#show(mine);
  }
  discard() {
    this.restored.value = undefined;
    this.#show(this.#base.fields);
  }
  end() {
    clearTimeout(this.#timer);
    letGo(this.key);
  }
  #show(fields: F) {
    this.hold.current = undefined;
    this.fields.value = fields;
    this.revision.value++;
    this.keepNow();
  }
}

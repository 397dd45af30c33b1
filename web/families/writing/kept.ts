// What somebody is writing stays on this device until the server has it: a reload, a crash or a lost session takes
// nothing away.
import { me } from '../../kernel/session.ts';

export interface Kept<F> {
  fields: F;
  /** What was there when the writing began. */
  base: F;
  etag?: string | undefined;
  at: string;
}
const place = (key: string) => `writing/${me().id}/${key}`;

export function keptOf<F>(key: string): Kept<F> | undefined {
  try {
    return JSON.parse(localStorage.getItem(place(key)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
/** The device may be full, or keep nothing: then the text is only in the page. */
export function keep<F>(key: string, kept: Kept<F>) {
  try {
    localStorage.setItem(place(key), JSON.stringify(kept));
  } catch {}
}
export function letGo(key: string) {
  try {
    localStorage.removeItem(place(key));
  } catch {}
}

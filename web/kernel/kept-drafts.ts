// What this device keeps of drafts: a person's, until the server has it, and until they sign out.
export type Fields = Record<string, string>;
export interface Kept {
  fields: Fields;
  /** The server's that it was made from. */
  version: number;
  /** The server does not have it yet. */
  isUnsent: boolean;
}
const PREFIX = 'draft/';
export const placeOf = (user_id: number, key: string) => `${PREFIX}${user_id}/${key}`;

/** Nothing of the person stays on a device that others use. */
export function forgetDrafts() {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}

export function readKept(place: string): Kept | undefined {
  try {
    return JSON.parse(localStorage.getItem(place) ?? '') as Kept;
  } catch {
    return undefined;
  }
}
export function writeKept(place: string, kept: Kept | undefined) {
  try {
    if (kept) localStorage.setItem(place, JSON.stringify(kept));
    else localStorage.removeItem(place);
  } catch {
    // A full or forbidden storage: the server has it a moment later.
  }
}

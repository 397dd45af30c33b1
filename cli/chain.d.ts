export interface Verdict {
  organisation_id?: number;
  entries: number;
  from_sequence: number;
  to_sequence: number;
  /** Of the last entry. */
  head_hash: string;
  /** Why it cannot be believed. */
  problem?: string;
}
export function verify(lines: AsyncIterable<string> | Iterable<string>, head?: string): Promise<Verdict>;

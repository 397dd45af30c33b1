// The chain of an organisation's entries. The hash of an entry is over everything it says, and one of the things it says
// is the hash of the entry before: so nothing can be changed, removed, added or moved without changing all that follow.
//
//   canonical form   JSON as RFC 8785 writes it: names in order, no space
//   hash             sha256 of the canonical form without the hash itself, hexadecimal
//   export           a line an entry, oldest first; the last line is a seal, which says from where to where it reaches
//
// Needs nothing but the file: no database, no settings, no other module.
import { hash } from 'node:crypto';

export const NO_HASH = '0'.repeat(64);

export interface Chained {
  readonly organisation_id: number;
  readonly sequence: number;
  readonly previous_hash: string;
  readonly hash: string;
}
/** The last line of an export. */
export interface Seal {
  readonly seal: {
    readonly organisation_id: number;
    readonly exported_at: string;
    /** Of the first and last entry; 0 where there is none. */
    readonly from_sequence: number;
    readonly to_sequence: number;
    readonly entries: number;
    /** Entries were left out by a filter, so that what is there is no chain. */
    readonly is_filtered: boolean;
    readonly head_hash: string;
  };
  readonly hash: string;
}

export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  // By UTF-16 code units, as RFC 8785 has it.
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
}

const hashOf = (value: object) => hash('sha256', canonical(value), 'hex');
export const hashed = <T extends object>(value: T): T & { hash: string } => ({ ...value, hash: hashOf(value) });
const isIntact = ({ hash: told, ...value }: { hash?: unknown }) => told === hashOf(value);

export interface Verdict {
  readonly organisation_id?: number;
  readonly entries: number;
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly head_hash: string;
  /** Why it cannot be believed; undefined: it is intact. */
  readonly problem?: string;
}

/** Reads an export line by line. `head` is the hash that its last entry must have, known from elsewhere. */
export async function verify(lines: AsyncIterable<string> | Iterable<string>, head?: string): Promise<Verdict> {
  let last: Chained | undefined;
  let [entries, from_sequence, n] = [0, 0, 0];
  let seal: Seal['seal'] | undefined;
  const verdict = (problem?: string): Verdict => ({
    ...(last && { organisation_id: last.organisation_id }),
    entries,
    from_sequence,
    to_sequence: last?.sequence ?? 0,
    head_hash: last?.hash ?? NO_HASH,
    ...(problem !== undefined && { problem }),
  });
  for await (const line of lines) {
    if (line === '') continue;
    n++;
    const read = parsed(line);
    if (!read) return verdict(`Line ${n} is no JSON object.`);
    if (seal) return verdict(`Line ${n} comes after the seal, which is the last line of an export.`);
    if (!isIntact(read)) return verdict(`Line ${n} was changed: it does not have its hash.`);
    if ('seal' in read) {
      seal = (read as unknown as Seal).seal;
      continue;
    }
    const entry = read as unknown as Chained;
    const broken = last ? breakBetween(last, entry) : entry.sequence === 1 && entry.previous_hash !== NO_HASH;
    if (broken) return verdict(`Line ${n} (sequence ${entry.sequence}) does not follow the one before it.`);
    last = entry;
    entries++;
    from_sequence ||= entry.sequence;
  }
  return verdict(problemOf(seal, verdict(), head));
}

const breakBetween = (last: Chained, { organisation_id, sequence, previous_hash }: Chained) =>
  organisation_id !== last.organisation_id || sequence !== last.sequence + 1 || previous_hash !== last.hash;

function problemOf(seal: Seal['seal'] | undefined, found: Verdict, head: string | undefined): string | undefined {
  if (!seal) return 'It has no seal: it was cut, or is no whole export.';
  if (seal.is_filtered) return 'It was exported with a filter: what is left out cannot be verified.';
  const { entries, from_sequence, to_sequence, head_hash } = found;
  if (entries !== seal.entries || from_sequence !== seal.from_sequence || to_sequence !== seal.to_sequence)
    return `It should reach from ${seal.from_sequence} to ${seal.to_sequence}, and has other entries.`;
  if (found.organisation_id !== undefined && found.organisation_id !== seal.organisation_id)
    return 'Its seal is of another organisation.';
  if (entries > 0 && head_hash !== seal.head_hash) return 'Its last entry is not the one that its seal names.';
  if (head !== undefined && head !== head_hash) return `Its last entry does not have the hash ${head}.`;
  return undefined;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const read = JSON.parse(line) as unknown;
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : undefined;
  } catch {
    return undefined;
  }
}

// The chain of an organisation's entries. The hash of an entry is over everything it says, and one of the things it
// says is the hash of the entry before: so nothing can be changed, removed, added or moved without changing all that
// follow.
//
//   canonical form   JSON as RFC 8785 writes it: names in order, no space
//   hash             sha256 of the canonical form without the hash itself, hexadecimal
//
// cli/chain.js verifies an export with nothing but the file.
import { hash } from 'node:crypto';

/** What stands before the first entry. */
export const NO_HASH = '0'.repeat(64);

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
}

export const hashed = <T extends object>(value: T): T & { hash: string } => ({
  ...value,
  hash: hash('sha256', canonical(value), 'hex'),
});

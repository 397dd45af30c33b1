// Whether an exported audit log is as Atrium wrote it. Needs the file alone.
//
//   line     an entry: its hash is the sha256 of all the rest of it, written as RFC 8785 says (names in order, no space);
//            one of its fields is the hash of the entry before
//   seal     the last line: from where to where the export reaches, with a hash of its own
//
// Whoever can write the file can write another chain. The hash of its last entry, kept elsewhere, tells that: `head`.
import { createHash } from 'node:crypto';

const NO_HASH = '0'.repeat(64);
/** Of an entry that speaks of those deleted because they were old. */
const CHECKPOINT = ['through_sequence', 'hash'];

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // By UTF-16 code units, as JavaScript compares.
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}
const isIntact = ({ hash, ...rest }) => hash === createHash('sha256').update(canonical(rest)).digest('hex');

/** Reads `lines` once, however many. `problem` says why it cannot be believed; without it the log is intact. */
export async function verify(lines, head) {
  const found = { entries: 0, from_sequence: 0, to_sequence: 0, head_hash: NO_HASH };
  const broken = (problem) => ({ ...found, problem });
  let [seal, n] = [undefined, 0];
  // What is before the first entry, and whether an entry says that Atrium has taken just that away.
  let [before, isExplained] = [undefined, false];
  for await (const line of lines) {
    n++;
    if (line === '') continue;
    const read = parsed(line);
    if (!read) return broken(`Line ${n} is no JSON object.`);
    if (seal) return broken(`Line ${n} comes after the seal, which is the last line of an export.`);
    if (!isIntact(read)) return broken(`Line ${n} was changed: it does not have its hash.`);
    if (read.seal) {
      seal = read.seal;
      continue;
    }
    const { organisation_id, sequence, previous_hash, hash } = read;
    const isFirst = found.entries === 0;
    const follows = isFirst
      ? sequence > 1 || previous_hash === NO_HASH
      : sequence === found.to_sequence + 1 && previous_hash === found.head_hash;
    if (!follows || (!isFirst && organisation_id !== found.organisation_id))
      return broken(`Line ${n} (sequence ${sequence}) does not follow the line before it.`);
    if (isFirst) {
      Object.assign(found, { organisation_id, from_sequence: sequence });
      before = { through_sequence: sequence - 1, hash: previous_hash };
    }
    if (read.type === 'audit_checkpoint' && CHECKPOINT.every((name) => read.after?.[name] === before[name]))
      isExplained = true;
    Object.assign(found, { entries: found.entries + 1, to_sequence: sequence, head_hash: hash });
  }
  const problem =
    problemOf(seal, found, head) ??
    (found.from_sequence > 1 && !isExplained
      ? `It begins with sequence ${found.from_sequence}, and no entry says that those before were old.`
      : undefined);
  return problem ? broken(problem) : found;
}

function problemOf(seal, found, head) {
  if (!seal) return 'It has no seal: it was cut, or is no whole export.';
  if (seal.is_filtered) return 'It was exported with a filter: what is left out cannot be verified.';
  if (['entries', 'from_sequence', 'to_sequence', 'head_hash'].some((name) => seal[name] !== found[name]))
    return `Its seal speaks of ${seal.entries} entries from ${seal.from_sequence} to ${seal.to_sequence}; others are there.`;
  if (found.entries > 0 && seal.organisation_id !== found.organisation_id)
    return 'Its seal is of another organisation.';
  if (head !== undefined && head !== found.head_hash) return `Its last entry does not have the hash ${head}.`;
  return undefined;
}

function parsed(line) {
  try {
    const read = JSON.parse(line);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

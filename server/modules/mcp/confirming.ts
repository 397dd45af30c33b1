// Nothing is written before the person has seen what. The first call answers with a preview and a sealed note of what
// was asked; the second carries the note back, and is carried out only if the arguments are the same, and what would
// be changed still is what it was.
import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { clearableFields, isEmpty } from '../../kernel/http/replacement.ts';
import type { Sealing } from '../../kernel/people/sealing.ts';
import type { Caller, Outcome, Parts } from './calling.ts';
import { argumentsOf, type Operation } from './tools.ts';

const PURPOSE = 'confirmations of tools';
const VALID_MS = 10 * 60_000;

interface Note {
  readonly tool: string;
  readonly organisation_id: number;
  readonly user_id: number;
  readonly arguments_hash: string;
  readonly etag?: string;
  readonly until_ms: number;
}
export interface Asked {
  readonly operation: Operation;
  readonly given: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}
export interface Preview {
  readonly sentence: string;
  readonly confirmation: string;
  readonly current?: unknown;
  readonly cleared?: readonly string[];
}
type Parties = { sealing: Sealing; clock: Clock };

export function partsOf({ operation, given }: Pick<Asked, 'operation' | 'given'>): Parts {
  const of = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
  const { path, query, body } = argumentsOf(operation);
  return { path: of(path), query: of(query), body: of(body) };
}

/** What the call would do, and the note that lets it; or why the thing cannot be read. */
export async function preview(asked: Asked, { sealing, clock }: Parties): Promise<Preview | Outcome> {
  const { operation, given, caller } = asked;
  const { endpoint, read, name } = operation;
  const current = read && (await caller.call(read, { ...partsOf(asked), query: {} }));
  if (current && current.status >= 400) return current;
  const row = current?.body.data as Record<string, unknown> | undefined;
  const cleared = clearableFields(endpoint, read).filter(
    (field) => given[field] === undefined && !isEmpty(row?.[field]),
  );
  const note: Note = {
    ...identityOf(asked),
    ...(current?.etag ? { etag: current.etag } : {}),
    until_ms: clock.micros() / 1000 + VALID_MS,
  };
  const of = row?.title ?? row?.name ?? row?.label ?? row?.text;
  const what = `${endpoint.summary}${typeof of === 'string' && of !== '' ? `: “${of.slice(0, 200)}”` : ''}`;
  const clears = cleared.length > 0 ? ` What it does not mention may be cleared: ${cleared.join(', ')}.` : '';
  return {
    sentence: `${what}. Called as ${name} with ${JSON.stringify(given).slice(0, 2000)}.${clears}`,
    confirmation: sealing.seal(PURPOSE, JSON.stringify(note)),
    ...(row ? { current: row } : {}),
    ...(cleared.length > 0 ? { cleared } : {}),
  };
}

const identityOf = ({ operation, given, caller: { actor } }: Asked) => ({
  tool: operation.name,
  organisation_id: actor.organisation_id,
  user_id: actor.user_id,
  arguments_hash: hash('sha256', JSON.stringify(partsOf({ operation, given }))),
});

/** Headers for the call that the note allows; undefined: it allows another one, or not any more. */
export function allowedBy(
  confirmation: string,
  asked: Asked,
  { sealing, clock }: Parties,
): Record<string, string> | undefined {
  const note = opened(confirmation, sealing);
  const same = { ...note, ...identityOf(asked) };
  if (!note || JSON.stringify(same) !== JSON.stringify(note) || note.until_ms < clock.micros() / 1000) return undefined;
  return note.etag ? { 'if-match': note.etag } : {};
}
function opened(confirmation: string, sealing: Sealing): Note | undefined {
  try {
    return JSON.parse(sealing.open(PURPOSE, confirmation)) as Note;
  } catch {
    return undefined;
  }
}

// What a subscription may not have now. Everybody reads for one of public content, the key that made it for one of all
// content; nothing is hidden from one that an admin made or approved. Asked before the first attempt and each further.
import type { Tx } from '../../kernel/data/db.ts';
import { joined, literal, sql } from '../../kernel/data/sql.ts';
import type { Visibility } from '../../kernel/delivery/visibility.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { isOpenToAll } from '../spaces/access.ts';
import type { Content } from './batches.ts';
import type { Target } from './queries.ts';

interface Wanted {
  target: Target;
  content: Content;
}
/** Targets that read alike. */
interface Group {
  /** Undefined: everybody. */
  reader: Actor | undefined;
  hidden: Set<Content>;
}
interface Question {
  group: Group;
  content: Content;
  noun: string;
  id: number | null;
}
/** By target; what is in none of these sets may be sent. */
export type Hidden = ReadonlyMap<Target, ReadonlySet<Content>>;

export async function findHidden(tx: Tx, visibility: Visibility, wanted: readonly Wanted[]): Promise<Hidden> {
  const groups = new Map<string, Group>();
  const hidden = new Map<Target, Set<Content>>();
  const questions = new Map<string, Question>();
  for (const { target, content } of wanted) {
    const reader = readerOf(tx, target);
    if (reader === 'unlimited' || content.is_sample) continue;
    const key = reader ? reader.scopes.join(' ') : '';
    const group = groups.get(key) ?? { reader, hidden: new Set() };
    groups.set(key, group);
    hidden.set(target, group.hidden);
    const place = placeOf(content, reader);
    if (place) questions.set(`${key} ${content.id}`, { group, content, ...place });
  }
  for (const [noun, asked = []] of Object.entries(Object.groupBy(questions.values(), (question) => question.noun)))
    await ask(tx, visibility[noun], asked);
  return hidden;
}

function readerOf({ organisation_id }: Tx, { content_scope, scopes }: Target) {
  if (content_scope === 'public') return undefined;
  if (scopes === null) return 'unlimited';
  const reader: Actor = { kind: 'key', organisation_id, user_id: 0, scopes, roles: [], credential_id: 0 };
  return isOpenToAll(reader) ? 'unlimited' : reader;
}

/** Whose visibility decides. What was deleted was public when it was, or its space is asked. */
function placeOf({ action, noun, is_public, resource_id, space_id }: Content, reader: Actor | undefined) {
  if (!action.endsWith('.deleted')) return { noun, id: resource_id };
  return !reader || is_public ? undefined : { noun: 'space', id: space_id };
}

/** One statement for all who ask. */
async function ask(tx: Tx, rule: Visibility[string] | undefined, asked: readonly Question[]) {
  if (rule === 'always') return;
  const groups = [...new Set(asked.map(({ group }) => group))];
  const visible = new Set<string>();
  if (rule) {
    const ids = sql`${[...new Set(asked.map(({ id }) => id ?? 0))]}::bigint[]`;
    const parts = groups.map(({ reader }, n) => sql`select ${literal(n)} as n, v.id from (${rule(ids, reader)}) v`);
    for (const { n, id } of await tx.rows<{ n: number; id: number }>(joined(parts, ' union all ')))
      visible.add(`${n} ${id}`);
  }
  for (const { group, content, id } of asked)
    if (!visible.has(`${groups.indexOf(group)} ${id}`)) group.hidden.add(content);
}

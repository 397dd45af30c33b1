import type { Tx } from '../../kernel/data/db.ts';
import { hashed, NO_HASH } from './chain.ts';
import { type Change, type Entry, entryOf, grouped, type Owners } from './entries.ts';
import * as queries from './queries.ts';

const CHANGES_AT_ONCE = 1000;

/** Makes entries of all changes that are committed. No request that changes something waits for it. */
export async function chain(tx: Tx): Promise<void> {
  if (!(await queries.hasChanges(tx))) return;
  for (let taken = CHANGES_AT_ONCE; taken === CHANGES_AT_ONCE; )
    taken = await tx.transaction(async (inside) => {
      const head = await queries.lockHead(inside, NO_HASH);
      const changes = await queries.firstChanges(inside, CHANGES_AT_ONCE);
      if (changes.length === 0) return 0;
      const owners = await ownersOf(inside, changes);
      let { sequence, hash: previous_hash } = head;
      const rows = grouped(changes).map((group) => {
        const entry = entryOf(group, owners, inside.now());
        const chained = hashed({ organisation_id: tx.organisation_id, sequence: ++sequence, ...entry, previous_hash });
        previous_hash = chained.hash;
        return rowOf(chained);
      });
      await queries.insertEntries(inside, JSON.stringify(rows));
      await queries.deleteChanges(
        inside,
        changes.map(({ id }) => id),
      );
      await queries.updateHead(inside, { sequence, hash: previous_hash });
      return changes.length;
    });
}

const rowOf = (entry: Entry & { sequence: number }) => ({
  sequence: entry.sequence,
  at: entry.at,
  action: entry.action,
  person_id: entry.actor.type === 'person' ? entry.actor.id : entry.on_behalf_of,
  app_id: entry.actor.type === 'app' ? entry.actor.id : null,
  credential_type: entry.credential?.type,
  credential_id: entry.credential?.id,
  object_type: entry.type,
  object_id: entry.id,
  request_id: entry.request_id,
  entry,
});

async function ownersOf(tx: Tx, changes: readonly Change[]): Promise<Owners> {
  const asked = grouped(changes).map((group) => group.asked);
  const idsOf = (kind: 'key' | 'grant') => [
    ...new Set(asked.flatMap((one) => (one.kind === kind ? (one.credential_id ?? []) : []))),
  ];
  const [keys, grants] = [idsOf('key'), idsOf('grant')];
  const found = keys.length + grants.length > 0 ? await queries.findOwners(tx, keys, grants) : [];
  const of = (kind: 'key' | 'grant') =>
    new Map(found.flatMap((one) => (one.kind === kind && one.owner_id ? [[one.id, one.owner_id] as const] : [])));
  return { key: of('key'), grant: of('grant') };
}

import { refuseForbidden, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { settled } from '../requests/log.ts';
import { findUsedOperations, isKeyOf } from '../requests/usage.ts';
import { type ApiChange, changelog } from './contract.ts';
import { type Entry, operationsNamed, readEntries } from './entries.ts';

/** Read once: entries change with the program. */
let entries: readonly Entry[] | undefined;
export const allEntries = () => (entries ??= readEntries());

/** `operations`: of the interface as it is now. What is gone is named as the entry has it. */
function shown({ touches, ...entry }: Entry, operations: readonly string[], used: ReadonlySet<string>): ApiChange {
  const [added, changed, deprecated] = [touches.added, touches.changed, touches.deprecated].map((names) =>
    operationsNamed(names, operations),
  ) as [string[], string[], string[]];
  const removed = [...touches.removed];
  const touched = new Set([...added, ...changed, ...deprecated, ...removed]);
  return { ...entry, added, changed, deprecated, removed, used: [...touched].filter((name) => used.has(name)) };
}

export const changelogRoutes = (operations: () => readonly string[]) =>
  routes(changelog, {
    async listApiChanges({ tx, actor, query: { skip, take, since = '', used_by_key, used_by_me }, services }) {
      const key_id = used_by_me ? ownKey(actor) : used_by_key;
      if (key_id !== undefined) await refuseUnlessSeen(tx, actor, key_id);
      await settled(services);
      const used = new Set(key_id === undefined ? [] : await findUsedOperations(tx, key_id));
      const all = allEntries()
        .filter(({ date }) => date >= since)
        .map((entry) => shown(entry, operations(), used))
        .filter((change) => key_id === undefined || change.used.length > 0);
      return { rows: all.slice(skip, skip + take).map(toJson), total: all.length };
    },
  });

const ownKey = ({ kind, credential_id }: Actor) =>
  kind === 'key' || kind === 'personal_key' ? credential_id : refuseInvalid('used_by_me', 'is for keys: name one');

async function refuseUnlessSeen(tx: Tx, actor: Actor, key_id: number) {
  const { kind, credential_id, roles, scopes, user_id } = actor;
  if ((kind === 'key' || kind === 'personal_key') && credential_id === key_id) return;
  const isAdmin = kind === 'session' ? roles.includes('admin') : holds(scopes, 'admin.requests.read');
  if (isAdmin && (kind === 'key' || roles.includes('admin'))) return;
  if (kind === 'jwt' || !(await isKeyOf(tx, key_id, user_id)))
    refuseForbidden('What this key used is shown to whoever made it or its app, and to admins.');
}

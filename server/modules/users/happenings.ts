// What people may have to be told of, said by the modules that know when it happens, in its transaction. Who is told
// of it, and how, is decided by a module above (modules/notifications).
import type { Tx } from '../../kernel/data/db.ts';
import { extensionPoint } from '../../kernel/module.ts';

export interface Happening {
  /** content: there is something to see in it, or to do about it. Members and roles are those of a space. */
  readonly kind: 'content' | 'comment' | 'comment_changed' | 'member_added' | 'role_given';
  /** Of content. */
  readonly noun?: string;
  readonly thing_id: number;
  readonly actor_id: number;
  /** Whom it is about, where rows do not say so. */
  readonly user_ids?: readonly number[];
}
export const hears = extensionPoint<(tx: Tx, happening: Happening) => Promise<unknown>>();

export async function happened(tx: Tx, happening: Happening): Promise<void> {
  for (const hear of hears.all) await hear(tx, happening);
}

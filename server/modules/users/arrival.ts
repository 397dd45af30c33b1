import type { Tx } from '../../kernel/data/db.ts';
import { extensionPoint } from '../../kernel/module.ts';

/** A person was added, or replaced: others follow, in the same transaction. */
export const personWritten = extensionPoint<(tx: Tx, user_id: number, is_new: boolean) => Promise<unknown>>();

export async function tellWritten(tx: Tx, user_id: number, is_new: boolean) {
  for (const follow of personWritten.all) await follow(tx, user_id, is_new);
}

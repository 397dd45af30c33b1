import type { Tx } from '../../kernel/data/db.ts';
import { NO_HASH } from './chain.ts';
import { deletePast, insertEvent, isOlder, lockHead } from './queries.ts';

const DELETED_AT_ONCE = 2000;

/**
 * Deletes what is older than so many days, once a day. An entry says up to where, and the hash that the chain had
 * there: so the rest can be verified, and nobody else can have taken its beginning away.
 */
export async function deleteOld(tx: Tx, days: number) {
  if (days === 0 || !(await isOlder(tx, days + 1))) return;
  for (let gone = DELETED_AT_ONCE; gone === DELETED_AT_ONCE; )
    gone = await tx.transaction(async (inside) => {
      await lockHead(inside, NO_HASH);
      const { entries, ...checkpoint } = (await deletePast(inside, days, DELETED_AT_ONCE)) ?? { entries: 0 };
      if (entries > 0) await insertEvent(inside, 'audit_checkpoints', null, { ...checkpoint, days });
      return entries;
    });
}

// What follows a space: modules above say what goes with it, what it holds, and what its visibility means to them.
import type { Tx } from '../../kernel/data/db.ts';
import type { Sql } from '../../kernel/data/sql.ts';
import { extensionPoint } from '../../kernel/module.ts';

export interface SpaceFollower {
  /** Its content goes into the archive with the space, and comes back with it. */
  readonly archived?: (tx: Tx, space_id: number, is_archived: boolean) => Promise<unknown>;
  /** Others see inside than before. */
  readonly visibilityChanged?: (tx: Tx, space_id: number) => Promise<unknown>;
  /** SQL: the space has some of it, and so cannot be deleted. */
  readonly isIn?: (space_id: number) => Sql;
  /** An empty space is gone. */
  readonly deleted?: (tx: Tx, space_id: number) => Promise<unknown>;
}
export const followsSpace = extensionPoint<SpaceFollower>();

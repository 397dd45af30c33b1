import { refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { NewPoll } from './contract.ts';

export function refuseUnlessAhead(tx: Tx, { ends_at }: NewPoll) {
  if (ends_at && Date.parse(ends_at) <= Date.parse(tx.now())) refuseInvalid('poll.ends_at', 'must lie in the future');
}

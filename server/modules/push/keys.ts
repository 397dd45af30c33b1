import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Sealing } from '../../kernel/people/sealing.ts';

/** By it push services know who sends (VAPID, RFC 8292). */
export interface VapidKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The organisation's key pair; made when it is first needed. */
export async function vapidKey(tx: Tx, sealing: Sealing): Promise<VapidKey> {
  const purpose = `vapid key ${tx.organisation_id}`;
  const found = await tx.row<{ public_key: string; private_key_sealed: string }>(sql`
    select public_key, private_key_sealed from vapid_keys where organisation_id = $1`);
  if (found) return { publicKey: found.public_key, privateKey: sealing.open(purpose, found.private_key_sealed) };
  const { default: webPush } = await import('web-push');
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  // Of nodes that make one together, the first one's stays.
  await tx.rows(sql`
    insert into vapid_keys (organisation_id, public_key, private_key_sealed, created_at)
    values ($1, ${publicKey}, ${sealing.seal(purpose, privateKey)}, ${tx.now()}) on conflict do nothing`);
  return vapidKey(tx, sealing);
}

// Keys that signed addresses before 0050_sealed_keys.sql. They are sealed when no node reads them any more,
// and open what they have signed until it expires.
import { createHash } from 'node:crypto';
import { everyNodeReadsSealed, type Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { insertFormerKeys } from '../organisations/queries.ts';

const purposeOf = ({ organisation_id }: Tx) => `former keys of addresses, organisation ${organisation_id}`;

export async function sealFormerKeys(tx: Tx, { sealing }: Pick<Services, 'sealing'>) {
  const keys = await tx.row<{ inner: string; outer: string }>(sql`
    select encode(file_inner, 'hex') as inner, encode(file_outer, 'hex') as outer from organisations
    where id = $1 and file_inner is not null and ${everyNodeReadsSealed}`);
  if (keys) await insertFormerKeys(tx, sealing.seal(purposeOf(tx), JSON.stringify(keys)));
}

/** Undefined: they were sealed with a secret key that was lost. */
export function formerSignature(tx: Tx, { sealing }: Services, sealed: string, target: string): string | undefined {
  try {
    const { inner, outer } = JSON.parse(sealing.open(purposeOf(tx), sealed)) as { inner: string; outer: string };
    const digest = (key: string, text: Buffer | string) =>
      createHash('sha256').update(Buffer.from(key, 'hex')).update(text).digest();
    return digest(outer, digest(inner, target)).toString('hex');
  } catch {
    return undefined;
  }
}

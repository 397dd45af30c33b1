// What each key used on which day: it outlives the calls.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';

export const findUsedOperations = (tx: Tx, key_id: number) =>
  tx.values<string>(sql`
    select distinct operation from request_usage
    where organisation_id = $1 and kind in ('key', 'personal_key') and credential_id = ${key_id}`);

/** Whether it is the person's own, or of an app that the person made. */
export const isKeyOf = (tx: Tx, key_id: number, user_id: number) =>
  tx.any(sql`
    select from api_keys k left join apps a on a.organisation_id = $1 and a.id = k.app_id
    where k.organisation_id = $1 and k.id = ${key_id} and (k.user_id = ${user_id} or a.created_by = ${user_id})`);

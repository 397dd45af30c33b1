// What is kept of a person who left, and the lists that show them no more.
import type { Tx } from '../../kernel/data/db.ts';
import { counted, type Listing } from '../../kernel/data/listing.ts';
import { joined, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';

export interface Receipt {
  user_id: number;
  via: string;
  credential_id: number | null;
  /** What ended, and how many of it. */
  ended: Readonly<Record<string, number>>;
  left_behind: Readonly<Record<string, number>>;
}
export const insertReceipt = (tx: Tx, { user_id, via, credential_id, ended, left_behind }: Receipt) =>
  tx.rows(sql`
    insert into deprovisioning_receipts (organisation_id, user_id, via, credential_id, ended, left_behind, created_at)
    values ($1, ${user_id}, ${via}, ${credential_id}, ${JSON.stringify(ended)}, ${JSON.stringify(left_behind)},
      ${tx.now()})`);
/** What works on without the person who made it, and may need a decision. */
export const countLeftBehind = async (
  tx: Tx,
  user_id: number,
  kinds: readonly { name: string; count: (user_id: number) => Sql }[],
) => {
  const counts = kinds.map(({ name, count }) => sql`${count(user_id)} as ${trusted(name)}`);
  if (counts.length === 0) return {};
  const row = await tx.row<Receipt['left_behind']>(sql`select ${joined(counts)}`);
  return row ?? {};
};
/** Lists of people show active ones: memberships (rows with user_id and created_at) follow the person's state. */
export async function classifyMemberships(tx: Tx, user_id: number, list_class: 0 | 1, memberships: readonly Listing[]) {
  for (const list of memberships) {
    await tx.rows(sql`
      with changed as (
        update ${trusted(list.table)} m set list_class = ${literal(list_class)}
        where m.organisation_id = $1 and m.user_id = ${user_id} and m.list_class <> ${literal(list_class)}
        returning m.*),
      was as (
        select list_bucket, (1 - list_class)::smallint as list_class, user_id, created_at from changed),
      plus as (${counted(list, 'changed', 1)})
      ${counted(list, 'was', -1)}`);
  }
}

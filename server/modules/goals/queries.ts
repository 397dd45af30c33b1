import type { Paging } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { cleared } from '../../kernel/data/rows.ts';
import { given, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { listFamily, picture, type RowFamily, rowColumns, rowsFrom } from '../pictures/rows.ts';

export const goalFamily: RowFamily = {
  name: 'goals',
  columns: {
    title: cleared('text'),
    description: cleared('text', ''),
    colour: cleared('text'),
    image_key: picture('image'),
    is_active: cleared('boolean', true),
  },
  path: '/goals/',
  followedAs: 'goal',
};

export const listGoals = (tx: Tx, { is_active, ...slice }: Paging & { is_active?: boolean }) =>
  listFamily(
    tx,
    goalFamily,
    slice,
    given(is_active, (wanted) => sql`t.is_active = ${wanted}`),
  );

/** Scalar: the goal whose id this is, as other resources show it; null for none. */
export const goalOf = (id: string): Sql => sql`(
  select row_to_json(r) from (
    select ${rowColumns(goalFamily, '')}
    from ${rowsFrom(sql`(select * from goals where organisation_id = $1 and id = ${trusted(id)})`)}) r)`;

import type { Query } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { cleared } from '../../kernel/data/rows.ts';
import { given, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { insertRow, listFamily, type RowFamily } from '../pictures/rows.ts';
import { inVisibleSpace } from './access.ts';
import type { documents } from './contract.ts';

export const folderFamily: RowFamily = {
  name: 'document_folders',
  columns: { name: cleared('text'), description: cleared('text', ''), parent_id: cleared('bigint') },
  shown: () => trusted('t.space_id, t.creator_id'),
  sees: inVisibleSpace,
};

export const listFolders = (tx: Tx, actor: Actor, query: Query<typeof documents.endpoints.listFolders>) => {
  const where = [
    ...given(query.parent_id, (id) => sql`t.parent_id = ${id}`),
    ...given(query.space_id, (id) => sql`t.space_id = ${id}`),
    ...given(query.is_at_top, (isTop) => (isTop ? trusted('t.parent_id is null') : trusted('t.parent_id is not null'))),
    ...given(query.is_for_everybody, (isForAll) =>
      isForAll ? trusted('t.space_id is null') : trusted('t.space_id is not null'),
    ),
  ];
  return listFamily(tx, folderFamily, query, where, actor);
};
export const insertFolder = (
  tx: Tx,
  { space_id, ...folder }: { name: string; description?: string; parent_id: number | null; space_id: number | null },
  creator_id: number,
) => insertRow(tx, folderFamily, folder, { space_id, creator_id });

/** Is `parent_id` the folder itself or below it? */
export const isBelow = (tx: Tx, id: number, parent_id: number) =>
  tx.any(sql`
    with recursive up as (
      select id, parent_id from document_folders where organisation_id = $1 and id = ${parent_id}
      union select f.id, f.parent_id from up join document_folders f on f.organisation_id = $1 and f.id = up.parent_id)
    select id from up where id = ${id}`);
/** The folders of a space move one at a time, so that two moves cannot close a circle. */
export const lockTree = (tx: Tx, space_id: number | null) =>
  tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('document_folders ' || ${String(space_id ?? 0)}, $1))`);

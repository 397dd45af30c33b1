import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { hasText } from './extract/extract.ts';

/** Files of these documents that nobody has read are to be. */
export async function noteFiles(tx: Tx, document_ids: readonly number[]): Promise<void> {
  if (document_ids.length === 0) return;
  const unread = await tx.rows<{ id: number; content_type: string }>(sql`
    select f.id, f.content_type
    from content_files c join assets f on f.organisation_id = $1 and f.id = c.asset_id
    where c.organisation_id = $1 and c.kind = 'document' and c.role = 'file'
      and c.content_id = any(${document_ids}::bigint[]) and not exists (
        select from search_files x where x.organisation_id = $1 and x.asset_id = f.id)`);
  const ids = unread.filter(({ content_type }) => hasText(content_type)).map(({ id }) => id);
  if (ids.length > 0)
    await tx.rows(sql`
      insert into search_files (organisation_id, asset_id, due_at)
      select $1, f.id, ${tx.now()} from assets f
      where f.organisation_id = $1 and f.id = any(${ids}::bigint[]) for key share
      on conflict (organisation_id, asset_id) do nothing`);
}

import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';

const categoriesList: Listing = { table: 'space_categories', at: null, id: 'id', newestFirst: false };
const shown = trusted(`json_build_object('id', id, 'name', name, 'description', description)::text as json`);

export const listSpaceCategories = (tx: Tx, skip: number, take: number) =>
  listRows(
    tx,
    categoriesList,
    { skip, take, ...everyRow },
    sql`select ${shown} from space_categories where organisation_id = $1 and id = listed.id`,
  );
export const insertSpaceCategory = (tx: Tx, name: string, description: string) =>
  tx.json(sql`
    insert into space_categories (organisation_id, name, description, created_at)
    values ($1, ${name}, ${description}, ${tx.now()}) returning ${shown}`) as Promise<Json>;
export const deleteSpaceCategory = (tx: Tx, id: number) =>
  tx.json(sql`
    delete from space_categories where organisation_id = $1 and id = ${id}
    returning json_build_object('id', id)::text as json`);
export const replaceCategoryLinks = async (tx: Tx, space_id: number, category_ids: readonly number[]) => {
  await tx.rows(sql`delete from space_category_links where organisation_id = $1 and space_id = ${space_id}`);
  await tx.rows(sql`
    insert into space_category_links (organisation_id, space_id, category_id)
    select $1, ${space_id}, c from unnest(${[...new Set(category_ids)]}::bigint[]) c`);
};

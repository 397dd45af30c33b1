import type { Paging } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { DRAFTS_MAX } from './contract.ts';

const list: Listing = { table: 'drafts', at: null, id: 'key', newestFirst: false };
const shown = (source: Sql) =>
  jsonOf(sql`select d.key, d.fields, d.version, iso(d.updated_at) as updated_at from ${source} d`);
const own = (user_id: number, key: Sql) => sql`(
    select * from drafts where organisation_id = $1 and user_id = ${user_id} and key = ${key})`;

export const listDrafts = (tx: Tx, user_id: number, { skip, take }: Paging) =>
  listRows(
    tx,
    list,
    { skip, take, ...everyRow, where: [sql`t.user_id = ${user_id}`] },
    shown(own(user_id, trusted('listed.id'))),
  );
export const findDraft = (tx: Tx, user_id: number, key: string) => tx.json(shown(own(user_id, sql`${key}`)));

/** Undefined: it is another version now, or there are too many. */
export const upsertDraft = (tx: Tx, user_id: number, key: string, fields: object, version: number) =>
  tx.json(sql`
    with kept as (
      insert into drafts as d (organisation_id, user_id, key, fields, version, updated_at)
      select $1, ${user_id}, ${key}, ${JSON.stringify(fields)}::json, 1, ${tx.now()}::timestamptz
      where (
        select count(*) from drafts o where o.organisation_id = $1 and o.user_id = ${user_id} and o.key <> ${key}
      ) < ${literal(DRAFTS_MAX)}
      on conflict (organisation_id, user_id, key) do update
      set fields = excluded.fields, version = d.version + 1, updated_at = excluded.updated_at
      where d.version = ${version}
      returning d.*)
    ${shown(trusted('kept'))}`);

export const deleteDraft = (tx: Tx, user_id: number, key: string) =>
  tx.rows(sql`delete from drafts where organisation_id = $1 and user_id = ${user_id} and key = ${key}`);

export const endDrafts = async (tx: Tx, user_ids: readonly number[]) =>
  (
    await tx.rows(sql`
      delete from drafts where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) returning key`)
  ).length;

import type { Tx } from '../../kernel/data/db.ts';
import { counted, everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { defaults } from './queries.ts';

export interface LogEntry {
  organisation_id: number;
  provider: string;
  secret_id: number | null;
  request_id: string;
  method: string;
  path: string;
  status: number;
  scim_type: string | null;
  detail: string | null;
  resource_type: string | null;
  resource_id: number | null;
  user_id: number | null;
  is_dry_run: boolean;
  request: unknown;
  changes: unknown;
  ms: number;
  created_at: string;
}
/** Classes: 0 succeeded, 1 failed. */
export const requestsList: Listing = { table: 'scim_requests', at: 'created_at', id: 'id', newestFirst: true };
const logged = trusted(
  'provider, secret_id, request_id, method, path, status, scim_type, detail, resource_type, resource_id, user_id, is_dry_run, request, changes, ms, created_at',
);
export const insertRequests = (tx: Tx, entries: readonly LogEntry[]) =>
  tx.rows(sql`
    with added as (
      insert into scim_requests (organisation_id, ${logged})
      select $1, ${logged} from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e(provider text, secret_id bigint, request_id text, method text, path text, status smallint,
        scim_type text, detail text, resource_type text, resource_id bigint, user_id bigint, is_dry_run boolean, request jsonb, changes jsonb, ms real, created_at timestamptz)
      returning *)
    ${counted(requestsList, 'added', 1)}`);
export interface RequestFilter {
  skip: number;
  take: number;
  user_id?: number | undefined;
  outcome?: 'succeeded' | 'failed' | undefined;
  from?: string | undefined;
  to?: string | undefined;
}
export const listRequests = (tx: Tx, { skip, take, user_id, outcome, from, to }: RequestFilter) =>
  listRows(
    tx,
    requestsList,
    {
      skip,
      take,
      bucket: 0,
      classes: outcome === 'succeeded' ? [0] : outcome === 'failed' ? [1] : [0, 1],
      where: [
        ...(user_id === undefined ? [] : [sql`t.user_id = ${user_id}`]),
        ...(from === undefined ? [] : [sql`t.created_at >= ${from}::timestamptz`]),
        ...(to === undefined ? [] : [sql`t.created_at < ${to}::timestamptz`]),
      ],
    },
    sql`select row_to_json(r)::text as json from (
      select q.id, q.provider, q.secret_id, q.request_id, q.method, q.path, q.status, q.scim_type, q.detail, q.resource_type, q.resource_id, q.user_id, q.is_dry_run, q.request, q.changes, q.ms,
        iso(q.created_at) as created_at from scim_requests q where q.organisation_id = $1 and q.id = listed.id) r`,
  );
export const deleteOldRequests = (tx: Tx) =>
  tx.rows(sql`
    with gone as (
      delete from scim_requests where organisation_id = $1 and list_bucket = 0
        and created_at < ${tx.now()}::timestamptz - make_interval(days => coalesce((select log_days from scim_settings where organisation_id = $1), ${defaults.log_days})) returning *)
    ${counted(requestsList, 'gone', -1)}`);

const receiptsList: Listing = { table: 'deprovisioning_receipts', at: null, id: 'id', newestFirst: true };
export const listReceipts = (
  tx: Tx,
  { skip, take, user_id }: { skip: number; take: number; user_id?: number | undefined },
) =>
  listRows(
    tx,
    receiptsList,
    { skip, take, ...everyRow, where: user_id === undefined ? [] : [sql`t.user_id = ${user_id}`] },
    sql`select row_to_json(r)::text as json from (
      select d.id, d.user_id, u.name as user_name, d.via, d.credential_id, d.ended, d.left_behind, iso(d.created_at) as created_at
      from deprovisioning_receipts d join users u on u.organisation_id = $1 and u.id = d.user_id where d.organisation_id = $1 and d.id = listed.id) r`,
  );

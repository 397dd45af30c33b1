import type { Query } from '../../kernel/contract/contract.ts';
import type { Static } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { counted, everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, sql, trusted } from '../../kernel/data/sql.ts';
import type { provisioning, ScimRequest } from './contract.ts';
import { defaults } from './queries.ts';

export interface LogEntry extends Omit<Static<typeof ScimRequest>, 'id'> {
  organisation_id: number;
}
type RequestsQuery = Query<typeof provisioning.endpoints.listScimRequests>;
type ReceiptsQuery = Query<typeof provisioning.endpoints.listReceipts>;

/** Classes: 0 succeeded, 1 failed. */
export const requestsList: Listing = { table: 'scim_requests', at: 'created_at', id: 'id', newestFirst: true };
const logged =
  'provider, secret_id, request_id, method, path, status, scim_type, detail, resource_type, resource_id, user_id, ' +
  'is_dry_run, request, changes, ms';

export const insertRequests = (tx: Tx, entries: readonly LogEntry[]) =>
  tx.rows(sql`
    with added as (
      insert into scim_requests (organisation_id, ${trusted(logged)}, created_at)
      select $1, ${trusted(logged)}, created_at
      from jsonb_populate_recordset(null::scim_requests, ${JSON.stringify(entries)}::jsonb) returning *)
    ${counted(requestsList, 'added', 1)}`);

const classesOf = { succeeded: [0], failed: [1] };
export function listRequests(tx: Tx, { skip, take, user_id, outcome, from, to }: RequestsQuery) {
  const where = [
    ...given(user_id, (id) => sql`t.user_id = ${id}`),
    ...given(from, (moment) => sql`t.created_at >= ${moment}::timestamptz`),
    ...given(to, (moment) => sql`t.created_at < ${moment}::timestamptz`),
  ];
  const classes = outcome ? classesOf[outcome] : [0, 1];
  const shown = sql`
    select id, ${trusted(logged)}, iso(created_at) as created_at from scim_requests
    where organisation_id = $1 and id = listed.id`;
  return listRows(tx, requestsList, { skip, take, bucket: 0, classes, where }, jsonOf(shown));
}
export const deleteOldRequests = (tx: Tx) =>
  tx.rows(sql`
    with kept as (
      select coalesce((select log_days from scim_settings where organisation_id = $1), ${defaults.log_days}) as days),
    gone as (
      delete from scim_requests using kept
      where organisation_id = $1 and list_bucket = 0
        and created_at < ${tx.now()}::timestamptz - make_interval(days => kept.days)
      returning scim_requests.*)
    ${counted(requestsList, 'gone', -1)}`);

const receiptsList: Listing = { table: 'deprovisioning_receipts', at: null, id: 'id', newestFirst: true };
export function listReceipts(tx: Tx, { skip, take, user_id }: ReceiptsQuery) {
  const where = given(user_id, (id) => sql`t.user_id = ${id}`);
  const shown = sql`
    select d.id, d.user_id, u.name as user_name, d.via, d.credential_id, d.ended, d.left_behind,
      iso(d.created_at) as created_at
    from deprovisioning_receipts d join users u on u.organisation_id = $1 and u.id = d.user_id
    where d.organisation_id = $1 and d.id = listed.id`;
  return listRows(tx, receiptsList, { skip, take, ...everyRow, where }, jsonOf(shown));
}

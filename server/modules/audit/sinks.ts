import type { Json, Tx } from '../../kernel/data/db.ts';
import { jsonOf, sql, trusted } from '../../kernel/data/sql.ts';

const shown = trusted(`s.id, s.url, s.format, s.authorization_sealed is not null as has_authorization,
  s.position as last_sequence, s.failures, s.last_error, iso(s.delivered_at) as delivered_at,
  iso(s.created_at) as created_at`);

export interface NewSink {
  url: string;
  format: string;
  authorization_sealed: string | null;
  created_by: number;
}
/** It begins with its own entry. */
export const insertSink = async (tx: Tx, { url, format, authorization_sealed, created_by }: NewSink) =>
  (await tx.json(sql`
    with s as (
      insert into audit_sinks (organisation_id, url, format, authorization_sealed, created_by, created_at, position,
        failures, next_at)
      select $1, ${url}, ${format}, ${authorization_sealed}, ${created_by}::bigint, ${tx.now()}::timestamptz,
        coalesce((select h.sequence from audit_heads h where h.organisation_id = $1), 0), 0, ${tx.now()}::timestamptz
      returning *)
    ${jsonOf(sql`select ${shown} from s`)}`)) as Json;
export const listSinks = (tx: Tx) =>
  tx.jsons(jsonOf(sql`select ${shown} from audit_sinks s where s.organisation_id = $1 order by s.id`));
export const countSinks = async (tx: Tx) =>
  (await tx.value<number>(sql`select count(*) from audit_sinks where organisation_id = $1`)) ?? 0;
export const deleteSink = (tx: Tx, id: number) =>
  tx.json(sql`
    with s as (delete from audit_sinks where organisation_id = $1 and id = ${id} returning *)
    ${jsonOf(sql`select ${shown} from s`)}`);

export interface DueSink extends Pick<NewSink, 'url' | 'format' | 'authorization_sealed'> {
  readonly id: number;
  readonly position: number;
  readonly failures: number;
}
/** A sink has one sender at a time, on all nodes: the next looks when the lease is over. */
export const claimSink = (tx: Tx, lease_s: number) =>
  tx.row<DueSink>(sql`
    update audit_sinks set next_at = ${tx.now()}::timestamptz + ${lease_s} * interval '1 second'
    where organisation_id = $1 and id = any(array(
      select s.id from audit_sinks s join audit_heads h on h.organisation_id = $1
      where s.organisation_id = $1 and s.next_at <= ${tx.now()}::timestamptz and s.position < h.sequence
      order by s.next_at limit 1 for update of s skip locked))
    returning id, url, format, authorization_sealed, position, failures`);
export const markTaken = (tx: Tx, id: number, position: number) =>
  tx.rows(sql`
    update audit_sinks set position = ${position}::bigint, failures = 0, last_error = null,
      next_at = ${tx.now()}::timestamptz, delivered_at = ${tx.now()}::timestamptz
    where organisation_id = $1 and id = ${id}`);
export const markFailed = (tx: Tx, id: number, error: string, wait_s: number) =>
  tx.rows(sql`
    update audit_sinks set failures = failures + 1, last_error = ${error},
      next_at = ${tx.now()}::timestamptz + ${wait_s} * interval '1 second'
    where organisation_id = $1 and id = ${id}`);
/** When there is something to send, for the worker. */
export const sinksDue = sql`(
  select min(s.next_at) from audit_sinks s join audit_heads h on h.organisation_id = $1
  where s.organisation_id = $1 and s.position < h.sequence)`;

// Socket tickets, `<organisation>_<secret>`: a page of another origin asks for one with its JWT and opens the socket
// with it, because browsers let no page send headers with a WebSocket.
import type { Db, Json, Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { type Actor, refuseUnauthorized } from '../../kernel/people/auth.ts';
import { randomSecret, sha256 } from '../../kernel/people/secrets.ts';

const LIFE = '30 seconds';
const TICKET = /^([1-9]\d{0,15})_[\w-]{43}$/;

export function insertTicket(tx: Tx, actor: Actor) {
  const ticket = `${tx.organisation_id}_${randomSecret()}`;
  return tx.json(sql`
    insert into socket_tickets (organisation_id, ticket_sha256, user_id, actor, expires_at)
    values ($1, ${sha256(ticket)}, ${actor.user_id}, ${JSON.stringify(actor)}::jsonb,
      ${tx.now()}::timestamptz + ${LIFE}::interval)
    returning json_build_object('ticket', ${ticket}::text, 'expires_at', expires_at)::text as json`) as Promise<Json>;
}

/** Who asked for this ticket, which is used up by it. */
export async function useTicket(db: Db, ticket: string): Promise<Actor> {
  const organisation_id = Number(TICKET.exec(ticket)?.[1] ?? refuseUnauthorized());
  const tx = db.inOrganisation(organisation_id);
  const now = sql`${tx.now()}::timestamptz`;
  const actor = await tx.value<Actor>(sql`
    with used as (
      delete from socket_tickets where organisation_id = $1 and ticket_sha256 = ${sha256(ticket)}
      returning user_id, actor, expires_at)
    select t.actor from used t
    join users u on u.organisation_id = $1 and u.id = t.user_id and u.is_active and u.has_access
    where t.expires_at > ${now}
      and (to_timestamp((t.actor ->> 'expires_ms')::float8 / 1000) > ${now}) is not false
      and (t.actor ->> 'kind' <> 'session' or exists (
        select from sessions s where s.organisation_id = $1 and s.id = (t.actor ->> 'credential_id')::bigint))`);
  return actor ?? refuseUnauthorized();
}

export const endTickets = async (tx: Tx, user_ids: readonly number[]) => {
  const ended = await tx.values(sql`
    delete from socket_tickets
    where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) returning ticket_sha256`);
  return ended.length;
};
export const deletePastTickets = (tx: Tx) =>
  tx.rows(sql`delete from socket_tickets where organisation_id = $1 and expires_at <= ${tx.now()}::timestamptz`);

// The role that Atrium works as: it owns the database and all that is in it, so that migrations run, and it is no
// superuser, so that a statement which somebody smuggles in reads no files and starts no programs.
import { createHmac } from 'node:crypto';
import pg from 'pg';

export const ROLE = 'atrium_app';

/** One secret lies in the data folder, the superuser's. It cannot be found from this one. */
export const rolePassword = (superuser: string) => createHmac('sha256', superuser).update(ROLE).digest('base64url');

/** Makes the role and its database where they are missing, and gives the role what a former version made. */
export async function ensureRole(urlOf: (database: string) => string, database: string, password: string) {
  await asSuperuser(urlOf('postgres'), async (client) => {
    const known = await client.query('select from pg_roles where rolname = $1', [ROLE]);
    if (known.rowCount === 0) await client.query(`create role ${ROLE} login password '${rolePassword(password)}'`);
    const { rows } = await client.query('select pg_get_userbyid(datdba) as owner from pg_database where datname = $1', [
      database,
    ]);
    if (rows.length === 0) await client.query(`create database ${database} owner ${ROLE}`);
    else if (rows[0].owner !== ROLE) await client.query(`alter database ${database} owner to ${ROLE}`);
  });
  await asSuperuser(urlOf(database), (client) => client.query(takeOver));
}

/** All or nothing. Sequences of columns follow their tables. */
const takeOver = `
do $$
declare
  role constant oid := '${ROLE}'::regrole;
  public constant oid := 'public'::regnamespace;
  target text;
begin
  for target in
    select 'table ' || c.oid::regclass from pg_class c
    where c.relnamespace = public and c.relkind in ('r', 'p', 'v', 'm') and c.relowner <> role
    union all
    select 'sequence ' || c.oid::regclass from pg_class c
    where c.relnamespace = public and c.relkind = 'S' and c.relowner <> role and not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i'))
    union all
    select 'routine ' || p.oid::regprocedure from pg_proc p where p.pronamespace = public and p.proowner <> role
    union all
    select 'type ' || t.oid::regtype from pg_type t
    where t.typnamespace = public and t.typtype in ('e', 'd') and t.typowner <> role
  loop
    execute 'alter ' || target || ' owner to ${ROLE}';
  end loop;
end $$`;

async function asSuperuser(url: string, work: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Endpoint } from './kernel/contract/contract.ts';
import { events, routes } from './modules.ts';
import { startAtrium } from './testing/atrium.ts';

const atrium = await startAtrium();
/** The directory of organisations, what nodes have in common and the list of migrations are above any organisation. */
const above = ['installation', 'organisations', 'schema_migrations'];

test('every primary, unique and foreign key begins with organisation_id', async () => {
  const keys = await atrium.rows<{ table: string; name: string; first: string }>(`
    select c.relname as table, k.conname as name, a.attname as first
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype in ('p', 'u', 'f') and c.relnamespace = 'public'::regnamespace
    union all
    select c.relname, i.indexrelid::regclass::text, a.attname
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    -- Entries of an inverted index are hashes that the organisation is mixed into.
    where c.relnamespace = 'public'::regnamespace and not exists (
      select from pg_class x join pg_am m on m.oid = x.relam where x.oid = i.indexrelid and m.amname = 'gin')`);
  assert.ok(keys.length > 60);
  assert.deepEqual(
    keys.filter(({ table, first }) => !above.includes(table) && first !== 'organisation_id'),
    [],
  );
});

test('every schema of a contract is one by JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false });
  for (const { family } of routes)
    for (const [operation, { body, query, params, reply, list }] of Object.entries<Endpoint>(family.endpoints))
      for (const schema of [body, query, params, reply, list])
        assert.ok(!schema || ajv.validateSchema(schema), `${operation}: ${ajv.errorsText()}`);
  for (const { action, payload } of events)
    assert.ok(
      Object.values(payload).every((schema) => ajv.validateSchema(schema)),
      action,
    );
});

test('whatever a request may bring has a bound', () => {
  interface Node {
    [keyword: string]: unknown;
    anyOf?: Node[];
    properties?: Record<string, Node>;
    items?: Node;
    additionalProperties?: Node;
  }
  const bounds: Record<string, string[]> = {
    string: ['maxLength', 'enum', 'format', 'pattern'],
    integer: ['maximum'],
    array: ['maxItems'],
    object: ['properties', 'maxProperties'],
  };
  const unbounded = (node: Node, path: string): string[] => {
    const { type, anyOf = [], properties = {}, items, additionalProperties } = node;
    const inner = {
      ...properties,
      ...(items && { '[]': items }),
      ...(additionalProperties && { '*': additionalProperties }),
    };
    const isBound = (bounds[String(type)] ?? []).some((keyword) => keyword in node);
    return [
      ...(anyOf.length > 0 || type === 'boolean' || type === 'null' || isBound ? [] : [path]),
      ...anyOf.flatMap((one) => unbounded(one, path)),
      ...Object.entries(inner).flatMap(([name, one]) => unbounded(one, `${path}.${name}`)),
    ];
  };
  for (const { family } of routes)
    for (const [operation, { body, query }] of Object.entries<Endpoint>(family.endpoints))
      for (const given of [body, query]) assert.deepEqual(given ? unbounded(given as Node, operation) : [], []);
});

test('every table is audited, or says why not; there are no other triggers', async () => {
  const tables = await atrium.rows<{ name: string; about: string | null; triggers: string[] }>(`
    select c.relname as name, obj_description(c.oid, 'pg_class') as about,
      array(
        select t.tgname::text from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by 1) as triggers
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`);
  const audited = ['audit_deleted', 'audit_inserted', 'audit_updated'];
  assert.ok(tables.length > 90);
  for (const { name, about, triggers } of tables) {
    const isUnaudited = about?.startsWith('unaudited: ') === true;
    const hint =
      `${name}: a table is audited by itself. Where its rows are no action of anybody (a cache, a log, a counter, ` +
      `what one has read), write in its migration: comment on table ${name} is 'unaudited: <why>'`;
    assert.deepEqual(triggers, isUnaudited ? [] : audited, hint);
    assert.ok(!isUnaudited || (about ?? '').length > 'unaudited: '.length + 5, hint);
  }
});

test('secrets and what is about a person are masked in the audit', async () => {
  const shown = await atrium.rows<{ table: string; column: string }>(String.raw`
    select c.relname as table, a.attname as column
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join lateral (
      select string_to_array(encode(t.tgargs, 'escape'), '\\000') as list) args
    where t.tgname = 'audit_inserted'
      and a.attname <> all(args.list[2]::text[] || args.list[3]::text[])
      and (a.atttypid = 'bytea'::regtype
        or a.attname ~ 'secret|password|passcode|token|hash|sealed|hmac|private|email|phone|birth|(first|last)_name')
    order by 1, 2`);
  const hint =
    `Write in the migration: comment on column <table>.<column> is 'audit: masked', or 'audit: ignored' where a ` +
    `change of it alone is no action`;
  assert.deepEqual(shown, [], hint);
});

test('every foreign key has an index that begins with its columns', async () => {
  const missing = await atrium.rows(`
    select k.conname from pg_constraint k
    where k.contype = 'f' and cardinality(k.conkey) > 1 and k.connamespace = 'public'::regnamespace
      and k.conname !~ '(created_by|service_user_id|team_type_id)_fkey$'
      and not exists (
        select from pg_index i
        where i.indrelid = k.conrelid
          and (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(k.conkey)] @> k.conkey::int2[])`);
  assert.deepEqual(missing, []);
});

test('constraint names carry the error code: table__columns_kind', async () => {
  const odd = await atrium.rows(
    `select conname from pg_constraint
     where connamespace = 'public'::regnamespace and contype in ('u', 'f', 'c')
       and conname !~ '^[a-z_]+__[a-z_]+_(key|fkey|check)$'`,
  );
  assert.deepEqual(odd, []);
});

-- Stable, as what it calls: PostgreSQL puts only such a function in its place, and calls others for each column.
create or replace function audit_value(name text, value jsonb, masked text[]) returns jsonb language sql stable
parallel safe
return case
  when name = any(masked) then '{"masked": true}'::jsonb
  when right(name, 3) in ('url', 'uri') and jsonb_typeof(value) = 'string'
    then to_jsonb(coalesce(substring(value #>> '{}' from '^\w+://[^/?#@]*'), ''))
  when length(value::text) > 300
    then jsonb_build_object('characters', length(value #>> '{}'),
      'sha256', encode(sha256(convert_to(value #>> '{}', 'UTF8')), 'hex'))
  else value end;

-- The same rows as before: only columns that are not told as they are cost more than the others.
create or replace function audit_rows() returns trigger language plpgsql as $$
declare
  ignored text[] := tg_argv[1];
  masked text[] := tg_argv[2];
  written integer;
begin
  if current_setting('atrium.origin', true) = 'none' then return null; end if;
  insert into audit_changes (organisation_id, transaction_id, origin, table_name, change, key, before, after)
  select one.organisation_id, pg_current_xact_id(), audit_origin(), tg_table_name, lower(tg_op),
    case when tg_argv[0] = '{id}' then jsonb_build_object('id', r->'id')
      else coalesce((select jsonb_object_agg(k, whole->k) from unnest(tg_argv[0]::text[]) k), '{}') end,
    case when tg_op = 'DELETE' then r || coalesce(cut.it, '{}') end,
    case when tg_op = 'INSERT' then r || coalesce(cut.it, '{}') end
  from (
    select whole, coalesce(whole->'organisation_id', whole->'id')::bigint as organisation_id,
      jsonb_strip_nulls(whole - ignored) as r
    from (select to_jsonb(c) as whole from changed c limit 20) each offset 0) one
  cross join lateral (
    select jsonb_object_agg(name, audit_value(name, r->name, masked)) as it
    from jsonb_each_text(r) as e (name, value)
    where length(value) > 280 or right(name, 3) in ('url', 'uri') or name = any(masked)) cut;
  get diagnostics written = row_count;
  if written = 20 then
    insert into audit_changes (organisation_id, transaction_id, origin, table_name, change, key)
    select coalesce(r->'organisation_id', r->'id')::bigint, pg_current_xact_id(), audit_origin(), tg_table_name,
      'more', jsonb_build_object('rows', counted.n - 20)
    from (select to_jsonb(c) as r from changed c limit 1) one
    cross join (select count(*) as n from changed) counted
    where counted.n > 20;
  end if;
  return null;
end $$;

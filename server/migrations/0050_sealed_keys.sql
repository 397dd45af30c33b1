-- What signs addresses of files is made of a key that the database does not have: nodes bring it with their connections
-- (atrium.file_key). Keys that are stored sign as long as nodes of the version before may run, which read them here; then
-- they are sealed, and only open the addresses that they have signed.
alter table organisations
  alter column file_inner drop not null,
  alter column file_outer drop not null,
  add column file_keys_sealed text;

create function file_key(organisation_id bigint, part text) returns bytea language sql stable parallel safe
  return sha512(convert_to(current_setting('atrium.file_key') || ' ' || part || ' ' || organisation_id, 'UTF8'));

create function address_signature(o organisations, target text) returns text language sql stable parallel safe
  return encode(sha256(coalesce(o.file_outer, file_key(o.id, 'outer'))
    || sha256(coalesce(o.file_inner, file_key(o.id, 'inner')) || convert_to(target, 'UTF8'))), 'hex');

create or replace function signed_url(o organisations, path text, file_name text, now timestamptz) returns text language sql stable parallel safe
  return (select o.web_url || path || '/' || regexp_replace(file_name, '[^A-Za-z0-9._-]+', '_', 'g') || '?expires=' || at || '&signature='
      || address_signature(o, path || '?expires=' || at)
    from (select ((extract(epoch from now)::bigint + o.url_expiry_seconds) / greatest(o.url_expiry_seconds / 24, 1) + 1) * greatest(o.url_expiry_seconds / 24, 1) as at) e);

create index sessions__unsealed on sessions (organisation_id) where csrf_token <> '' and not starts_with(csrf_token, 'sha256:');

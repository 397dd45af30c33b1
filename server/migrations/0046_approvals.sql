-- Keys that reach what an admin must approve are pending until one decides. Keys that are there stay as they are.
alter table api_keys
  add column status text not null default 'active' constraint api_keys__status_check check (status in ('active', 'pending', 'refused')),
  -- Null where nobody had to, or at a shell of the server.
  add column decided_by bigint,
  add column decided_at timestamptz;
create index api_keys__pending on api_keys (organisation_id, id) where status = 'pending';

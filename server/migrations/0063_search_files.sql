-- The text inside files of documents, for the search; see modules/search/files.ts.
create table search_files (
  organisation_id bigint not null,
  asset_id bigint not null,
  -- Null: not read yet, or refused.
  text text,
  refused text,
  attempts smallint not null default 0,
  -- When it is looked at next; null: never again.
  due_at timestamptz,
  primary key (organisation_id, asset_id),
  constraint search_files__asset_id_fkey foreign key (organisation_id, asset_id) references assets on delete cascade
);
create index search_files__due_at on search_files (organisation_id, due_at) where due_at is not null;

-- What people have begun to write.
create table drafts (
  organisation_id bigint not null,
  user_id bigint not null,
  -- Chosen by the client.
  key text not null collate "C",
  fields json not null,
  -- Rises with each change: two devices do not overwrite one another.
  version integer not null,
  updated_at timestamptz not null,
  primary key (organisation_id, user_id, key),
  constraint drafts__user_id_fkey foreign key (organisation_id, user_id) references users (organisation_id, id)
);

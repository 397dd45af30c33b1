-- What people keep for later.
create table saved_items (
  organisation_id bigint not null,
  user_id bigint not null,
  -- page, article, update, kudos, event
  kind text not null,
  content_id bigint not null,
  created_at timestamptz not null,
  primary key (organisation_id, user_id, kind, content_id),
  constraint saved_items__user_id_fkey foreign key (organisation_id, user_id) references users (organisation_id, id)
);
create index saved_items__content on saved_items (organisation_id, kind, content_id);

-- Questions with answers to choose from, each on one update.
create table polls (
  organisation_id bigint not null,
  update_id bigint not null,
  is_multiple boolean not null,
  is_anonymous boolean not null,
  ends_at timestamptz,
  voters_count integer not null default 0,
  primary key (organisation_id, update_id)
);
create table poll_options (
  organisation_id bigint not null,
  update_id bigint not null,
  n smallint not null,
  text text not null,
  votes_count integer not null default 0,
  primary key (organisation_id, update_id, n),
  constraint poll_options__update_id_fkey foreign key (organisation_id, update_id)
    references polls (organisation_id, update_id) on delete cascade
);
create table poll_votes (
  organisation_id bigint not null,
  update_id bigint not null,
  user_id bigint not null,
  n smallint not null,
  created_at timestamptz not null,
  primary key (organisation_id, update_id, user_id, n),
  constraint poll_votes__update_id_n_fkey foreign key (organisation_id, update_id, n)
    references poll_options (organisation_id, update_id, n) on delete cascade,
  constraint poll_votes__user_id_fkey foreign key (organisation_id, user_id) references users (organisation_id, id)
);
create index poll_votes__option on poll_votes (organisation_id, update_id, n, created_at, user_id);
create index poll_votes__user_id on poll_votes (organisation_id, user_id);

-- What a browser opens the chat's socket with where it can send no header: kept as a hash, good once, for half a minute.
create table socket_tickets (
  organisation_id bigint not null,
  ticket_sha256 text not null,
  user_id bigint not null,
  -- Who asked for it, as authentication found them: the socket is theirs and ends with their credential.
  actor jsonb not null,
  expires_at timestamptz not null,
  primary key (organisation_id, ticket_sha256),
  constraint socket_tickets__user_id_fkey foreign key (organisation_id, user_id) references users on delete cascade
);
create index socket_tickets__user_id on socket_tickets (organisation_id, user_id);
create index socket_tickets__expires_at on socket_tickets (organisation_id, expires_at);

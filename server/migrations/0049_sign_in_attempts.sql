-- Passwords that were tried in the present quarter of an hour, for each account, device, address and network.
create table sign_in_attempts (
  organisation_id bigint not null constraint sign_in_attempts__organisation_id_fkey references organisations,
  -- sha256 of what is counted: people type passwords where addresses belong.
  subject text not null,
  attempts integer not null,
  ends_at timestamptz not null,
  primary key (organisation_id, subject)
);
create index sign_in_attempts__ends_at on sign_in_attempts (organisation_id, ends_at);

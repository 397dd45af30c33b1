-- Bytes of the files that each person uploaded, and of all of them (user 0), as of the last time the changes were summed up.
create table upload_totals (
  organisation_id bigint not null constraint upload_totals__organisation_id_fkey references organisations,
  user_id bigint not null,
  byte_size bigint not null,
  primary key (organisation_id, user_id)
);
create table upload_changes (
  organisation_id bigint not null constraint upload_changes__organisation_id_fkey references organisations,
  user_id bigint not null,
  byte_size bigint not null
);
create index upload_changes__user_id on upload_changes (organisation_id, user_id) include (byte_size);
insert into upload_changes (organisation_id, user_id, byte_size)
select organisation_id, creator_id, sum(byte_size) from assets group by organisation_id, creator_id;

create index assets__creator_pending on assets (organisation_id, creator_id) where state = 'pending';

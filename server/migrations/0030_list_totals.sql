-- Totals of lists in one row: see kernel/listing.ts. Nodes of an earlier version must not fold beside this.
create table list_totals (
  organisation_id bigint not null,
  list text not null,
  bucket bigint not null,
  c0 bigint not null default 0,
  c1 bigint not null default 0,
  c2 bigint not null default 0,
  c3 bigint not null default 0,
  c4 bigint not null default 0,
  c5 bigint not null default 0,
  c6 bigint not null default 0,
  c7 bigint not null default 0,
  primary key (organisation_id, list, bucket)
) with (fillfactor = 70);

insert into list_totals
select organisation_id, list, bucket, sum(c0), sum(c1), sum(c2), sum(c3), sum(c4), sum(c5), sum(c6), sum(c7)
from list_blocks group by organisation_id, list, bucket;

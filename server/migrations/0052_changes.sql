-- What changed since a number: see kernel/data/changes.ts.
create index pages__sequence on pages (organisation_id, sequence);
create index articles__sequence on articles (organisation_id, sequence);
create index updates__sequence on updates (organisation_id, sequence);
create index kudos__sequence on kudos (organisation_id, sequence);
create index events__sequence on events (organisation_id, sequence);
create index documents__sequence on documents (organisation_id, sequence);
create index spaces__sequence on spaces (organisation_id, sequence);
create index teams__sequence on teams (organisation_id, sequence);
create index users__sequence on users (organisation_id, sequence);

-- What a row cannot say of itself: it is gone, or others see it than before.
create table change_notes (
  organisation_id bigint not null,
  sequence bigint not null,
  type text not null,
  id bigint not null,
  noted_at timestamptz not null,
  primary key (organisation_id, sequence)
);
create index change_notes__noted_at on change_notes (organisation_id, noted_at);

-- The highest number of a note that is not kept any more.
create table change_floors (
  organisation_id bigint not null,
  sequence bigint not null,
  primary key (organisation_id)
);

-- Comments, goals and badges say when they changed, as all other families do: see kernel/data/changes.ts.
create index comments__sequence on comments (organisation_id, sequence);
alter table goals add column sequence bigint not null default nextval('content_sequence');
create index goals__sequence on goals (organisation_id, sequence);
alter table badges add column sequence bigint not null default nextval('content_sequence');
create index badges__sequence on badges (organisation_id, sequence);

-- Origins whose pages may read an organisation's answers in a browser. A preflight asks over all organisations.
alter table organisations add column cors_origins text[] not null default '{}';
create index organisations__cors_origins on organisations using gin (cors_origins);

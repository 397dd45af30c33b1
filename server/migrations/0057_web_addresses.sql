-- The address is stored as it was chosen: its scheme does not follow from the domain any more.
alter table organisations alter column web_url drop expression;
-- Without a domain of its own an organisation follows ATRIUM_BASE_URL.
alter table organisations add column has_own_domain boolean not null default true;
update organisations set has_own_domain = false where domain ~ '^(127\.|localhost|[^/]*\.localhost)';

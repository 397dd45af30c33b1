-- Who may make admins through SCIM, and how many leavers the sync guard always lets through.
alter table scim_settings
  add column providers_granting_admin text[] not null default '{}',
  add column guard_least integer not null default 0
    constraint scim_settings__guard_least_check check (guard_least between 0 and 100000);

-- From here on no row means that the guard is on: whoever was here before keeps it off until they turn it on.
insert into scim_settings (organisation_id, updated_at)
select id, now() from organisations
on conflict do nothing;

create index users__admins on users (organisation_id, id) where 'admin' = any(roles) and is_active;

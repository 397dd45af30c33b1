-- A userName of SCIM that is no e-mail address; null: it is the address.
alter table users add column user_name text;
create unique index users__user_name_key on users (organisation_id, lower(user_name)) where user_name is not null;
create index users__user_name on users (organisation_id, lower(coalesce(user_name, email)));

-- authRoles are a list.
update scim_users
set attributes = jsonb_set(
  attributes, '{urn:ietf:params:scim:schemas:extension:atrium:2.0:User,authRoles}',
  jsonb_build_array(attributes #> '{urn:ietf:params:scim:schemas:extension:atrium:2.0:User,authRoles}'))
where jsonb_typeof(attributes #> '{urn:ietf:params:scim:schemas:extension:atrium:2.0:User,authRoles}') = 'string';

-- What an app's user JWTs reach, and how strict they must be. Apps that have settings keep the strictness that they had.
alter table app_jwt_settings
  -- Null: what people do every day, without chat.
  add column scopes text[],
  add column requires_jti boolean not null default false,
  add column lifetime_seconds_max integer not null default 3600 constraint app_jwt_settings__lifetime_check check (lifetime_seconds_max between 60 and 3600);
update app_jwt_settings set requires_jti = true, lifetime_seconds_max = 600;

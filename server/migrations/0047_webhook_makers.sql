-- What a subscription may read is what its maker may. Subscriptions that are there stay as they are.
alter table webhooks
  add column status text not null default 'active' constraint webhooks__status_check check (status in ('active', 'pending', 'refused')),
  add column decided_by bigint,
  add column decided_at timestamptz,
  -- Of the app's key that made it. Null: a person did, for whom content_scope says it all.
  add column scopes text[],
  -- It delivers while this key is good.
  add column key_id bigint;

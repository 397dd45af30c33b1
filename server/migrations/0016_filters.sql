-- Filters that pick few of many: what changed lately, what is for teams, events of every state, files of a kind.
create index updates__updated_at on updates (organisation_id, updated_at);
create index kudos__updated_at on kudos (organisation_id, updated_at);
create index articles__updated_at on articles (organisation_id, updated_at);
create index events__updated_at on events (organisation_id, updated_at);
create index documents__updated_at on documents (organisation_id, updated_at);

create index updates__for_teams on updates (organisation_id, list_bucket, created_at desc, id desc) where list_class = 4;
create index kudos__for_teams on kudos (organisation_id, list_bucket, created_at desc, id desc) where list_class = 4;
create index articles__for_teams on articles (organisation_id, list_bucket, created_at desc, id desc) where list_class = 4;
create index events__for_teams on events (organisation_id, list_bucket, created_at desc, id desc) where list_class = 4;

create index events__everything on events (organisation_id, created_at desc, id desc) include (list_bucket, list_class);

create index assets__pending on assets (organisation_id, id desc) where origin = 'api' and state = 'pending';
create index assets__type on assets (organisation_id, (case when content_type ~ '^(image|video|audio)/' then split_part(content_type, '/', 1) else 'other' end), id desc)
  where origin = 'api';

-- As those of the other nouns: what was posted to a space is read from the index alone.
drop index event_audiences__space_id;
drop index event_audiences__team_id;
create index event_audiences__space_id on event_audiences (organisation_id, space_id, event_id) where space_id is not null;
create index event_audiences__team_id on event_audiences (organisation_id, team_id, event_id) where team_id is not null;

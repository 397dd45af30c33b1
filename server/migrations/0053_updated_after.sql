-- Who changed lately, of many people, teams and spaces.
create index users__updated_at on users (organisation_id, updated_at);
create index teams__updated_at on teams (organisation_id, updated_at);
create index spaces__updated_at on spaces (organisation_id, updated_at);

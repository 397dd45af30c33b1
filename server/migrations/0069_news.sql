-- What is new, newest first: see modules/activity. A post's place in it is the moment when it reached its readers.
create index updates__news on updates (organisation_id, list_class, (coalesce(reviewed_at, created_at)) desc, id desc)
where list_bucket = 0;
create index kudos__news on kudos (organisation_id, list_class, (coalesce(reviewed_at, created_at)) desc, id desc)
where list_bucket = 0;
create index articles__news on articles (organisation_id, list_class, (coalesce(published_at, created_at)) desc, id desc)
where list_bucket = 0;
create index events__news on events (organisation_id, list_class, created_at desc, id desc) where list_bucket = 0;

create index updates__must_read on updates (organisation_id, (coalesce(reviewed_at, created_at)) desc, id desc)
where list_bucket = 0 and requires_acknowledgement;
create index kudos__must_read on kudos (organisation_id, (coalesce(reviewed_at, created_at)) desc, id desc)
where list_bucket = 0 and requires_acknowledgement;
create index articles__must_read on articles (organisation_id, (coalesce(published_at, created_at)) desc, id desc)
where list_bucket = 0 and requires_acknowledgement;

-- Of one person.
drop index updates__creator_id;
drop index kudos__creator_id;
drop index articles__creator_id;
drop index events__creator_id;
drop index comments__creator_id;
create index updates__creator_id on updates (organisation_id, creator_id, (coalesce(reviewed_at, created_at)) desc, id desc);
create index kudos__creator_id on kudos (organisation_id, creator_id, (coalesce(reviewed_at, created_at)) desc, id desc);
create index articles__creator_id on articles (organisation_id, creator_id, (coalesce(published_at, created_at)) desc, id desc);
create index events__creator_id on events (organisation_id, creator_id, created_at desc, id desc);
create index comments__creator_id on comments (organisation_id, creator_id, created_at desc, id desc);

-- Of one space or team. Nodes of the version before write rows without the moment: theirs is now.
alter table update_audiences add column posted_at timestamptz not null default now();
alter table kudos_audiences add column posted_at timestamptz not null default now();
alter table article_audiences add column posted_at timestamptz not null default now();
alter table event_audiences add column posted_at timestamptz not null default now();
update update_audiences a set posted_at = coalesce(t.reviewed_at, t.created_at)
from updates t where t.organisation_id = a.organisation_id and t.id = a.update_id;
update kudos_audiences a set posted_at = coalesce(t.reviewed_at, t.created_at)
from kudos t where t.organisation_id = a.organisation_id and t.id = a.kudos_id;
update article_audiences a set posted_at = coalesce(t.published_at, t.created_at)
from articles t where t.organisation_id = a.organisation_id and t.id = a.article_id;
update event_audiences a set posted_at = t.created_at
from events t where t.organisation_id = a.organisation_id and t.id = a.event_id;
drop index update_audiences__space_id;
drop index kudos_audiences__space_id;
drop index article_audiences__space_id;
drop index event_audiences__space_id;
drop index update_audiences__team_id;
drop index kudos_audiences__team_id;
drop index article_audiences__team_id;
drop index event_audiences__team_id;
create index update_audiences__space_id on update_audiences (organisation_id, space_id, posted_at desc, update_id desc)
where space_id is not null;
create index kudos_audiences__space_id on kudos_audiences (organisation_id, space_id, posted_at desc, kudos_id desc)
where space_id is not null;
create index article_audiences__space_id on article_audiences (organisation_id, space_id, posted_at desc, article_id desc)
where space_id is not null;
create index event_audiences__space_id on event_audiences (organisation_id, space_id, posted_at desc, event_id desc)
where space_id is not null;
create index update_audiences__team_id on update_audiences (organisation_id, team_id, posted_at desc, update_id desc)
where team_id is not null;
create index kudos_audiences__team_id on kudos_audiences (organisation_id, team_id, posted_at desc, kudos_id desc)
where team_id is not null;
create index article_audiences__team_id on article_audiences (organisation_id, team_id, posted_at desc, article_id desc)
where team_id is not null;
create index event_audiences__team_id on event_audiences (organisation_id, team_id, posted_at desc, event_id desc)
where team_id is not null;

-- What else happens in an organisation.
create index pages__created_at on pages (organisation_id, created_at desc, id desc);
create index comments__created_at on comments (organisation_id, created_at desc, id desc);
create index badge_users__created_at on badge_users (organisation_id, created_at desc, badge_id desc);
create index spaces__created_at on spaces (organisation_id, created_at desc, id desc);
create index users__created_at on users (organisation_id, created_at desc, id desc);

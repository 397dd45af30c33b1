-- Who is spoken of: people, teams and spaces, in content, in comments and in chat.
create table mentions (
  organisation_id bigint not null,
  -- page, article, update, kudos, event, comment, message
  kind text not null,
  content_id bigint not null,
  target_type text not null,
  target_id bigint not null,
  -- They have heard of it, or were not to.
  is_told boolean not null default false,
  primary key (organisation_id, kind, content_id, target_type, target_id),
  constraint mentions__target_type_check check (target_type in ('user', 'team', 'space'))
);
create index mentions__untold on mentions (organisation_id, kind, content_id) where not is_told;

insert into mentions (organisation_id, kind, content_id, target_type, target_id, is_told)
select organisation_id, 'comment', comment_id, 'user', user_id, true from comment_mentions;

-- Nodes of the version before read and write it under its name.
drop table comment_mentions;
create view comment_mentions as
select organisation_id, content_id as comment_id, target_id as user_id, kind, target_type
from mentions where kind = 'comment' and target_type = 'user';
alter view comment_mentions alter column kind set default 'comment';
alter view comment_mentions alter column target_type set default 'user';

-- What somebody begins to type.
create index users__name on users (organisation_id, (lower(name) collate "C")) where kind = 'person' and is_active;
create index users__last_name on users (organisation_id, (lower(last_name) collate "C"))
where kind = 'person' and is_active;
create index teams__name_c on teams (organisation_id, (lower(name) collate "C"));
create index spaces__name_c on spaces (organisation_id, (lower(name) collate "C"));

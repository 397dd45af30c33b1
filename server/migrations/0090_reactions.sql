-- A like is one of several reactions; a person has one to a thing.
alter table likes
  add column reaction text not null default 'like',
  -- What it was before: the statement that changes it counts both. (`returning old` is PostgreSQL 18.)
  add column former text,
  add constraint likes__reaction_check
    check (reaction in ('like', 'celebrate', 'thanks', 'laugh', 'surprise', 'sad'));

-- How many reacted, by reaction; likes are counted in likes_count.
alter table pages add column reactions jsonb not null default '{}';
alter table articles add column reactions jsonb not null default '{}';
alter table updates add column reactions jsonb not null default '{}';
alter table kudos add column reactions jsonb not null default '{}';
alter table events add column reactions jsonb not null default '{}';
alter table comments add column reactions jsonb not null default '{}';

create function recounted_reactions(counts jsonb, former text, present text) returns jsonb
language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(reaction, n) filter (where n > 0), '{}')
  from (
    select reaction, sum(n) as n
    from (
      select key, value::integer from jsonb_each_text(counts)
      union all select former, -1 where former <> 'like'
      union all select present, 1 where present <> 'like') changes(reaction, n)
    group by reaction) counted
$$;

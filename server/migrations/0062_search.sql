-- What can be found: a row for each item, found by its keys; see modules/search/module.ts.
create table search_items (
  organisation_id bigint not null,
  type smallint not null,
  id bigint not null,
  -- The last change of it that is in here.
  sequence bigint not null,
  generation integer not null,
  block integer not null,
  at timestamptz not null,
  -- Who may see it, as far as its own row and its space say; places are spaces (2 id), teams (2 id + 1) and
  -- the author (- id).
  reach smallint not null,
  places bigint[] not null,
  keys integer[] not null,
  primary key (organisation_id, type, id)
);
create index search_items__keys on search_items using gin (keys);

-- The words of an organisation. `documents` and `titles` count items with the word, `open` those that everybody sees.
create table search_terms (
  organisation_id bigint not null,
  term text collate "C" not null,
  generation integer not null,
  -- Null where a word has no forms: pairs of characters.
  stem text collate "C",
  -- The stem from its end.
  tail text collate "C",
  spellings integer[],
  documents integer not null,
  titles integer not null,
  open integer not null,
  tier smallint not null generated always as (floor(ln((open + 1)::float8) / ln(4::float8))) stored,
  primary key (organisation_id, term)
) with (fillfactor = 75);
create index search_terms__tier on search_terms (organisation_id, tier, term) where stem is not null;
create index search_terms__stem on search_terms (organisation_id, stem) where stem is not null;
create index search_terms__tail on search_terms (organisation_id, tail) where tail is not null;
create index search_terms__spellings on search_terms using gin (spellings);

create table search_blocks (
  organisation_id bigint not null,
  block integer not null,
  items integer not null,
  newest_at timestamptz not null,
  primary key (organisation_id, block)
);

-- How far the index has come.
create table search_state (
  organisation_id bigint not null,
  -- Everything that changed between `target` and here is in the index.
  position bigint not null,
  -- Counts up when the index is built anew, which goes from 0 to `target`; null when it is done.
  generation integer not null,
  built bigint,
  target bigint not null,
  started_at timestamptz not null,
  -- There is more to do at this moment.
  due_at timestamptz,
  primary key (organisation_id)
);

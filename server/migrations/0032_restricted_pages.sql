-- Of pages that need a look each, a list counts those of some classes: never the drafts of others.
drop index pages__restricted;
create index pages__restricted on pages (organisation_id, list_bucket, list_class) where list_class >= 2;

-- Pages are read level by level, in the order of their tree.
create index pages__tree on pages (organisation_id, list_bucket, (coalesce(parent_id, 0)), position, id);
-- So are documents: what stands in no folder, of a space or for everybody.
create index documents__top on documents (organisation_id, space_id, created_at desc, id desc) where location_id is null;

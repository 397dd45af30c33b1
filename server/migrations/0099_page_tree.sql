-- Pages are read level by level, in the order of their tree.
create index pages__tree on pages (organisation_id, list_bucket, (coalesce(parent_id, 0)), position, id);

-- Where a chart of who reports to whom begins.
create index users__without_manager on users (organisation_id, id) where manager_id is null and kind = 'person';

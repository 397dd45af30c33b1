-- The log has no foreign key, which would cost a look-up an attempt, and its callbacks also go with their messages: what is
-- old is found by its own date.
create index bot_callback_attempts__sent_at on bot_callback_attempts (organisation_id, sent_at);

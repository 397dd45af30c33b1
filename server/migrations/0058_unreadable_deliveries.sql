-- What could not be signed is sent once the secret can be read again; nearly always there is none.
create index webhook_deliveries__unreadable on webhook_deliveries (organisation_id, webhook_id, id)
  where state = 'withheld' and last_failure = 'secret_unreadable';

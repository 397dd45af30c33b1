-- One row: what every node must have in common, as the first one to start had it. The organisations' table is the only
-- other one above them all.
create table installation (
  one boolean primary key default true constraint installation__one_check check (one),
  -- Of the key that seals secrets; tells nothing of the key.
  secret_key_fingerprint text not null,
  -- Under which the storage of files has a file of this installation.
  storage_key text not null
);

-- What a page is about, in a sentence or two.
alter table pages add column summary text not null default '';
alter table page_translations add column summary text not null default '';

-- The picture of somebody without one is a PNG: clients download it, and upload it again as a photo.
create or replace function avatar_url(web_url text, photo_key text, name text) returns text language sql stable parallel safe
  return web_url || case when photo_key is not null then '/pictures/' || photo_key else
    '/avatars/initials/' || encode(convert_to(upper(coalesce(nullif(left(name, 1) || case when strpos(name, ' ') > 0 then left(split_part(name, ' ', -1), 1) else '' end, ''), '?')), 'UTF8'), 'hex') || '.png' end;

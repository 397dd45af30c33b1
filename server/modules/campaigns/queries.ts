import { refuse } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type PictureChange, pictureAfter, pictureUrl, removedPictures } from '../pictures/queries.ts';
import type { CampaignKind } from './contract.ts';

const campaignsList: Listing = { table: 'campaigns', at: null, id: 'id', newestFirst: false };
const attachedList: Listing = { table: 'campaign_contents', at: 'created_at', id: 'campaign_id', newestFirst: true };

const goesOn = (alias: string, now: string) =>
  sql`(coalesce(${trusted(alias)}.starts_at <= ${now}::timestamptz, true) and coalesce(${trusted(alias)}.ends_at > ${now}::timestamptz, true))`;
const shownOf = (campaigns: Sql, now: string) => sql`
  select row_to_json(r) as json from (
    select c.id, c.title, c.description, iso(c.starts_at) as starts_at, iso(c.ends_at) as ends_at, ${goesOn('c', now)} as is_active, c.colour, ${trusted(pictureUrl('c.image_key'))} as image,
      iso(c.created_at) as created_at, iso(c.updated_at) as updated_at, o.web_url || '/campaigns/' || c.id as permalink
    from ${campaigns} c join organisations o on o.id = c.organisation_id) r`;
const shown = (campaigns: Sql, now: string) => sql`select json::text as json from (${shownOf(campaigns, now)}) s`;
const byId = (id: Sql) => sql`(select * from campaigns where organisation_id = $1 and id = ${id})`;

export const listCampaigns = (tx: Tx, { skip, take, is_active }: { skip: number; take: number; is_active?: boolean }) =>
  listRows(
    tx,
    campaignsList,
    { skip, take, ...everyRow, where: is_active === undefined ? [] : [sql`${goesOn('t', tx.now())} = ${is_active}`] },
    shown(byId(trusted('listed.id')), tx.now()),
  );
export const findCampaign = (tx: Tx, id: number) => tx.json(shown(byId(sql`${id}`), tx.now()));

export interface CampaignFields {
  title: string;
  description?: string | undefined;
  starts_at?: string | null | undefined;
  ends_at?: string | null | undefined;
  colour?: string | null | undefined;
  image_key: PictureChange;
}
const values = (campaign: CampaignFields) =>
  sql`${campaign.title}, ${campaign.description ?? ''}, ${campaign.starts_at ?? null}::timestamptz, ${campaign.ends_at ?? null}::timestamptz, ${campaign.colour ?? null}`;

export const insertCampaign = (tx: Tx, campaign: CampaignFields & { created_at?: string | undefined }) =>
  tx.json(sql`
    with added as (
      insert into campaigns (organisation_id, title, description, starts_at, ends_at, colour, image_key, created_at, updated_at)
      values ($1, ${values(campaign)}, ${campaign.image_key ?? null}, ${campaign.created_at ?? tx.now()}, ${tx.now()}) returning *)
    ${shown(trusted('added'), tx.now())}`) as Promise<Json>;
export const updateCampaign = (tx: Tx, id: number, campaign: CampaignFields) =>
  tx.json(sql`
    with was as (select * from campaigns where organisation_id = $1 and id = ${id} for update),
    changed as (
      update campaigns t set (title, description, starts_at, ends_at, colour) = (${values(campaign)}), image_key = ${pictureAfter('image_key', campaign.image_key)},
        updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond')
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    pictures as (${removedPictures(['image_key'], 'was', 'changed', tx.now())})
    ${shown(trusted('changed'), tx.now())}`);
export const deleteCampaign = (tx: Tx, id: number) =>
  tx.json(sql`
    with gone as (delete from campaigns where organisation_id = $1 and id = ${id} returning *),
    pictures as (${removedPictures(['image_key'], 'gone', undefined, tx.now())})
    select json_build_object('id', id)::text as json from gone`);

// ---- What belongs to campaigns; the content is there and may be seen: its own family has made sure of that. ----

/** Attaches exactly these; of several given at once the last is the latest. Returns whether that changed anything. */
export async function replaceCampaigns(
  tx: Tx,
  kind: CampaignKind,
  content_id: number,
  campaign_ids: readonly number[],
): Promise<boolean> {
  const [row] = await tx.rows<{ unknown: number | null; changes: number }>(sql`
    with given as (select id, max(n) as n from unnest(${campaign_ids}::bigint[]) with ordinality g(id, n) group by id),
    wanted as (select g.id, g.n from given g join campaigns c on c.organisation_id = $1 and c.id = g.id order by g.id for key share of c),
    gone as (
      delete from campaign_contents where organisation_id = $1 and kind = ${kind} and content_id = ${content_id} and campaign_id not in (select id from given) returning campaign_id),
    added as (
      insert into campaign_contents (organisation_id, kind, content_id, campaign_id, created_at)
      select $1, ${kind}, ${content_id}, w.id, ${tx.now()}::timestamptz + interval '1 microsecond' * w.n from wanted w on conflict do nothing returning campaign_id)
    select (select min(n) - 1 from given where id not in (select id from wanted)) as unknown, (select count(*) from gone) + (select count(*) from added) as changes`);
  if (row?.unknown != null)
    refuse('campaign_not_found', 'There is no such campaign.', { path: `campaign_ids[${row.unknown}]` });
  return (row?.changes ?? 0) > 0;
}

/** Before or after the content is deleted. */
export const detachCampaigns = (tx: Tx, kind: string, content_ids: readonly number[]) =>
  tx.rows(sql`
    delete from campaign_contents
    where organisation_id = $1 and kind = ${kind} and content_id = any(${content_ids}::bigint[])`);

/** SQL: the campaign that the content `t` was attached to last, or null. */
export const campaignOf = (kind: CampaignKind, now: string): Sql =>
  sql`(${shownOf(
    sql`(
    select c.* from campaign_contents a join campaigns c on c.organisation_id = $1 and c.id = a.campaign_id
    where a.organisation_id = $1 and a.kind = ${trusted(`'${kind}'`)} and a.content_id = t.id order by a.created_at desc, a.campaign_id desc limit 1)`,
    now,
  )})`;

/** Campaigns of one article, update or kudos, latest first. */
export const listCampaignsOf = (tx: Tx, kind: CampaignKind, content_id: number, skip: number, take: number) =>
  listRows(
    tx,
    attachedList,
    { skip, take, ...everyRow, where: [sql`t.kind = ${kind} and t.content_id = ${content_id}`] },
    shown(byId(trusted('listed.id')), tx.now()),
  );

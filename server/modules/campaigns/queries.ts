import type { Paging } from '../../kernel/contract/contract.ts';
import { refuse } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { cleared } from '../../kernel/data/rows.ts';
import { given, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { listFamily, picture, type RowFamily, rowColumns, rowsFrom, shownRows } from '../pictures/rows.ts';
import type { CampaignKind } from './contract.ts';

/** SQL: the campaign `t` has started and has not ended. */
const goesOn = (now: string) => sql`(
  coalesce(t.starts_at <= ${now}::timestamptz, true) and coalesce(t.ends_at > ${now}::timestamptz, true))`;

export const campaignFamily: RowFamily = {
  name: 'campaigns',
  columns: {
    title: cleared('text'),
    description: cleared('text', ''),
    starts_at: cleared('timestamptz'),
    ends_at: cleared('timestamptz'),
    colour: cleared('text'),
    image_key: picture('image'),
  },
  shown: (now) => sql`${goesOn(now)} as is_active`,
  path: '/campaigns/',
};

export const listCampaigns = (tx: Tx, { is_active, ...slice }: Paging & { is_active?: boolean }) =>
  listFamily(
    tx,
    campaignFamily,
    slice,
    given(is_active, (wanted) => sql`${goesOn(tx.now())} = ${wanted}`),
  );

// ---- What belongs to campaigns; the content is there and may be seen: its own family has made sure of that. ----

/** Attaches exactly these; of several given at once the last is the latest. Returns whether that changed anything. */
export async function replaceCampaigns(
  tx: Tx,
  kind: CampaignKind,
  content_id: number,
  campaign_ids: readonly number[],
): Promise<boolean> {
  const row = await tx.row<{ unknown: number | null; changes: number }>(sql`
    with given as (select id, max(n) as n from unnest(${campaign_ids}::bigint[]) with ordinality g(id, n) group by id),
    wanted as (
      select g.id, g.n from given g join campaigns c on c.organisation_id = $1 and c.id = g.id
      order by g.id for key share of c),
    gone as (
      delete from campaign_contents
      where organisation_id = $1 and kind = ${kind} and content_id = ${content_id}
        and campaign_id not in (select id from given)
      returning campaign_id),
    added as (
      insert into campaign_contents (organisation_id, kind, content_id, campaign_id, created_at)
      select $1, ${kind}, ${content_id}, w.id, ${tx.now()}::timestamptz + interval '1 microsecond' * w.n from wanted w
      on conflict do nothing returning campaign_id)
    select (select min(n) - 1 from given where id not in (select id from wanted)) as unknown,
      (select count(*) from gone) + (select count(*) from added) as changes`);
  if (row?.unknown != null)
    refuse('campaign_not_found', 'There is no such campaign.', { path: `campaign_ids[${row.unknown}]` });
  return (row?.changes ?? 0) > 0;
}

/** Before or after the content is deleted. */
export const detachCampaigns = (tx: Tx, kind: string, content_ids: readonly number[]) =>
  tx.rows(sql`
    delete from campaign_contents
    where organisation_id = $1 and kind = ${kind} and content_id = any(${content_ids}::bigint[])`);

/** Scalar: the campaign that the content `t` was attached to last, or null. */
export const campaignOf = (kind: CampaignKind, now: string): Sql => {
  const last = sql`(
    select c.* from campaign_contents a join campaigns c on c.organisation_id = $1 and c.id = a.campaign_id
    where a.organisation_id = $1 and a.kind = ${literal(kind)} and a.content_id = t.id
    order by a.created_at desc, a.campaign_id desc limit 1)`;
  return sql`(select row_to_json(r) from (select ${rowColumns(campaignFamily, now)} from ${rowsFrom(last)}) r)`;
};

const attachedList: Listing = {
  table: 'campaign_contents',
  at: 'created_at',
  id: 'campaign_id',
  newestFirst: true,
  updated_at: '(select c.updated_at from campaigns c where c.organisation_id = $1 and c.id = t.campaign_id)',
};
/** Campaigns of one article, update or kudos, latest first. */
export const listCampaignsOf = (tx: Tx, kind: CampaignKind, content_id: number, page: Paging) => {
  const source = trusted('(select * from campaigns where organisation_id = $1 and id = listed.id)');
  return listRows(
    tx,
    attachedList,
    { ...page, ...everyRow, where: [sql`t.kind = ${kind} and t.content_id = ${content_id}`] },
    shownRows(campaignFamily, source, tx.now()),
  );
};

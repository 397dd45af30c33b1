// Updates and kudos as families of content: posts of one shape. Kudos thank somebody.
import { cleared, hidden, kept } from '../../kernel/data/rows.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { fileOf, filesOf } from '../assets/queries.ts';
import { campaignOf } from '../campaigns/queries.ts';
import { postedAccess } from '../content/access.ts';
import { plurals } from '../content/contract.ts';
import { type ContentColumn, type PostedFamily, type Reading, translated } from '../content/family.ts';
import { postedList } from '../content/lists.ts';
import { isPublished } from '../content/reach.ts';
import { postedColumns, postedVisibility } from '../content/shown.ts';
import { goalOf } from '../goals/queries.ts';
import { pollOf } from '../polls/queries.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { personOf } from '../users/queries.ts';
import * as events from './events.ts';

export type PostNoun = 'update' | 'kudos';

const editors: readonly SpaceRole[] = ['owner', 'admin', 'moderator'];
const columns: Readonly<Record<string, ContentColumn>> = {
  external_id: kept('text'),
  text: translated(cleared('text')),
  html: translated(cleared('text')),
  language: kept('text'),
  goal_id: hidden(cleared('bigint')),
  shared_type: hidden(cleared('text')),
  shared_id: hidden(cleared('bigint')),
  requires_acknowledgement: cleared('boolean', false),
  acknowledgement_due_at: cleared('timestamptz'),
  audience_type: hidden(kept('text', 'Global')),
  list_class: hidden(kept('smallint')),
};

const paths = Object.entries(plurals).map(([shared, plural]) => `when '${shared}' then '/${plural}/'`);
const shared_post = `case when t.shared_id is not null then json_build_object(
    'type', t.shared_type, 'id', t.shared_id, 'permalink',
    (select o.web_url from organisations o where o.id = $1) || case t.shared_type ${paths.join(' ')} end || t.shared_id)
  end as shared_post`;
const common = trusted(
  `t.external_id as legacy_system_id, ${personOf('t.creator_id')} as creator, ${shared_post}, t.content_version`,
);
const recipients = trusted(`json_build_object(
  'users', (
    select coalesce(json_agg(${personOf('r.user_id')} order by r.id), '[]') from kudos_recipients r
    where r.organisation_id = $1 and r.kudos_id = t.id and r.user_id is not null),
  'teams', (
    select coalesce(json_agg(json_build_object('id', g.id, 'external_id', g.external_id, 'name', g.name,
      'avatar_url', avatar_url(o.web_url, g.photo_key, g.name)) order by r.id), '[]')
    from kudos_recipients r
    join teams g on g.organisation_id = $1 and g.id = r.team_id join organisations o on o.id = $1
    where r.organisation_id = $1 and r.kudos_id = t.id)) as recipients`);

/** content_approval is there only where the organisation has approvals. */
const json = sql`case when (select o.content_approvals from organisations o where o.id = $1)
  then (select row_to_json(a) from (select r.*, json_build_object(
    'status', t.approval, 'reviewed_by', t.reviewed_by, 'reviewed_at', iso(t.reviewed_at)) as content_approval) a)
  else row_to_json(r) end`;

/** What was rejected waits again when it was changed. */
const replacing = trusted(`,
  content_version = t.content_version + case when (t.text, t.html) is distinct from (w.text, w.html) then 1 else 0 end,
  approval = case t.approval when 'rejected' then 'pending' else t.approval end,
  reviewed_by = case t.approval when 'approved' then t.reviewed_by end,
  reviewed_at = case t.approval when 'approved' then t.reviewed_at end`);

const post = (
  noun: PostNoun,
  own: Pick<PostedFamily, 'events' | 'columns'>,
  more: (reading: Reading) => Sql,
): PostedFamily => ({
  noun,
  name: plurals[noun],
  list: postedList(noun),
  postedAt: 'coalesce(t.reviewed_at, t.created_at)',
  shown: ({ now, actor }) => sql`
    ${common}, ${more({ now, actor })}, ${goalOf('t.goal_id')} as goal, ${campaignOf(noun, now)} as campaign,
    ${filesOf(noun, 'gallery', now)} as gallery, ${filesOf(noun, 'attachment', now)} as attachments,
    ${fileOf(noun, 'video', now)} as video, ${postedColumns(noun, actor)}`,
  json,
  replacing,
  ...postedVisibility(noun),
  // What waits for approval, or did not get it, is nobody's news.
  isNews: isPublished,
  editors,
  isOpenToAll: true,
  ...postedAccess(noun, editors),
  ...own,
});

export const postFamilies: Readonly<Record<PostNoun, PostedFamily>> = {
  update: post(
    'update',
    {
      columns,
      events: { added: events.updatePublished, updated: events.updateUpdated, deleted: events.updateDeleted },
    },
    (reading) => sql`${pollOf(trusted('t.id'), reading)} as poll`,
  ),
  kudos: post(
    'kudos',
    {
      columns: { ...columns, badge_id: cleared('bigint') },
      events: { added: events.kudosPublished, updated: events.kudosUpdated, deleted: events.kudosDeleted },
    },
    () => recipients,
  ),
};

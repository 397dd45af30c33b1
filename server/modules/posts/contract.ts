// Updates and kudos: posts of one shape. Kudos thank somebody: they have recipients, and may carry a badge.
import { type Endpoint, endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { fileErrors, newFiles, shownFiles } from '../assets/contract.ts';
import { Campaign, campaignErrors, campaignIds } from '../campaigns/contract.ts';
import {
  acknowledgementFields,
  authorship,
  Deleted,
  inLanguage,
  newPosted,
  Person,
  postedErrors,
  postedFields,
  postedFilters,
} from '../content/contract.ts';
import { Goal } from '../goals/contract.ts';
import { NewPoll, Poll } from '../polls/contract.ts';

export const TEXT_MAX = 100_000;
const sharedTypes = ['page', 'article', 'update', 'kudos', 'event'] as const;

const Approval = t.Object(
  {
    status: t.OneOf(['pending', 'approved', 'rejected']),
    reviewed_by: t.Nullable(t.Id()),
    reviewed_at: t.Nullable(t.Timestamp()),
  },
  { title: 'ContentApproval' },
);
const fields = {
  id: t.Id(),
  external_id: t.Nullable(t.ExternalId()),
  legacy_system_id: t.Nullable(t.ExternalId('The same as external_id.')),
  text: t.Text(TEXT_MAX, 'Plain.'),
  html: t.Text(4 * TEXT_MAX, 'Sanitised HTML.'),
  creator: Person,
  goal: t.Nullable(Goal),
  campaign: t.Nullable(Campaign),
  shared_post: t.Nullable(
    t.Object(
      { type: t.OneOf(sharedTypes), id: t.Id(), permalink: t.Url() },
      { description: 'What it shares; read it by its own address.' },
    ),
  ),
  requires_acknowledgement: t.Flag(),
  acknowledgement_due_at: t.Nullable(t.Timestamp()),
  content_version: t.Integer({ description: 'Rises when the text changes; an acknowledgement is of one version.' }),
  content_approval: t.Optional(Approval),
  ...shownFiles,
  ...postedFields,
};
const asking = { poll: t.Nullable(Poll) };
export const Update = t.Object({ ...fields, ...asking }, { title: 'Update' });
const languages = t.Array(t.Text(35, 'Languages it is translated into.'));
const UpdateWithLanguages = t.Object({ ...fields, ...asking, languages }, { title: 'UpdateWithLanguages' });
const Recipients = t.Object(
  {
    users: t.Array(Person),
    teams: t.Array(
      t.Object({ id: t.Id(), external_id: t.Nullable(t.ExternalId()), name: t.Text(255), avatar_url: t.Url() }),
    ),
  },
  { title: 'Recipients' },
);
/** docs/interface.md, Kudos. */
const thankingFields = { ...fields, recipients: Recipients, badge_id: t.Nullable(t.Id()) };
export const Kudos = t.Object(thankingFields, { title: 'Kudos' });
const KudosWithLanguages = t.Object({ ...thankingFields, languages }, { title: 'KudosWithLanguages' });

const written = {
  ...newPosted,
  text: t.Optional(t.Text(TEXT_MAX, 'Plain text; made from html when only that is given.')),
  html: t.Optional(t.Html(4 * TEXT_MAX, 'Made from text when only that is given.')),
  legacy_system_id: t.Optional(t.Nullable(t.ExternalId('The same as external_id.'))),
  goal_id: t.Optional(t.Nullable(t.Id())),
  campaign_ids: campaignIds,
  shared_post: t.Optional(t.Nullable(t.Object({ type: t.OneOf(sharedTypes), id: t.Id() }))),
  ...acknowledgementFields,
  ...newFiles,
};
const people = (description: string) => t.Optional(t.Array(t.Id(), { maxItems: 500, description }));
const thanks = {
  recipients: t.Optional(
    t.Object({
      users: people('User ids.'),
      external_users: t.Optional(t.Array(t.ExternalId(), { maxItems: 500 })),
      teams: people('Team ids.'),
    }),
  ),
  badge_id: t.Optional(t.Nullable(t.Id())),
};
const thanking = {
  recipient_id: t.Optional(t.Id('That thank this person by name.')),
  recipient_team_id: t.Optional(t.Id('That thank this team.')),
  badge_id: t.Optional(t.Id('That carry this badge.')),
  goal_id: t.Optional(t.Id('That refer to this goal.')),
};
const newPoll = { poll: t.Optional(t.Nullable(NewPoll)) };
const NewUpdate = t.Object({ ...written, ...newPoll, ...authorship });
const NewKudos = t.Object({ ...written, ...thanks, ...authorship });
/** Either post as it is written; only kudos have recipients, and only new updates a poll. */
export type WrittenPost = t.Static<typeof NewKudos> & Pick<t.Static<typeof NewUpdate>, 'poll'>;

const errors = {
  ...postedErrors,
  ...fileErrors,
  goal_not_found: 400,
  ...campaignErrors,
  shared_post_not_found: 400,
} as const;
const kudosErrors = { ...errors, badge_not_found: 400, recipient_team_not_found: 400 } as const;

const update = {
  createUpdate: endpoint('POST /v1/updates', 'Post an update', {
    description: 'For everybody, or for the spaces or teams of its audience.',
    status: 201,
    body: NewUpdate,
    documented: 'multipart',
    reply: Update,
    errors,
    emits: ['update.published'],
    example: { body: { text: 'The new store opens on Monday.', audience: { type: 'spaces', spaces: [1] } } },
  }),
  listUpdates: endpoint('GET /v1/updates', 'List updates', {
    description: 'Newest first: all that the caller sees, or what was posted to the given spaces or teams.',
    query: t.Object({
      ...postedFilters,
      ...inLanguage,
      content_approval: t.Optional(t.OneOf(['approved', 'pending', 'rejected'])),
    }),
    list: Update,
    example: { query: { space_ids: 'all', take: 10 } },
  }),
  getUpdate: endpoint('GET /v1/updates/{id}', 'Read an update', {
    byExternalId: 'getUpdateByExternalId',
    query: t.Object(inLanguage),
    reply: UpdateWithLanguages,
    example: { params: { id: 1, external_id: 'U-1' } },
  }),
  replaceUpdate: endpoint('PUT /v1/updates/{id}', 'Replace an update', {
    byExternalId: 'replaceUpdateByExternalId',
    description:
      'What is omitted is cleared; identifiers, language, audience and files are kept. ' +
      'Equal values change nothing. What was rejected waits for approval again.',
    body: t.Object(written),
    documented: 'multipart',
    reply: Update,
    errors,
    emits: ['update.updated'],
    example: { params: { id: 1, external_id: 'U-1' }, body: { text: 'The new store opens on Tuesday.' } },
  }),
  deleteUpdate: endpoint('DELETE /v1/updates/{id}', 'Delete an update', {
    byExternalId: 'deleteUpdateByExternalId',
    description: 'Of DELETEs that overlap one gets 200, the others 409.',
    reply: Deleted,
    errors: { concurrent_delete: 409 },
    emits: ['update.deleted'],
    example: { params: { id: 1, external_id: 'U-1' } },
  }),
  approveUpdate: endpoint('POST /v1/updates/{id}/approve', 'Approve an update', {
    byExternalId: 'approveUpdateByExternalId',
    description: 'Publishes what waits for approval. For owners, admins and moderators of its spaces, and for keys.',
    reply: Update,
    errors: { not_pending: 409 },
    emits: ['update.published'],
    example: { params: { id: 2, external_id: 'U-2' } },
  }),
  listUpdateCampaigns: endpoint('GET /v1/updates/{id}/campaigns', 'List the campaigns of an update', {
    byExternalId: 'listUpdateCampaignsByExternalId',
    description: 'Newest attachment first.',
    scope: 'campaigns.*.read',
    list: Campaign,
    example: { params: { id: 1, external_id: 'U-1' } },
  }),
  rejectUpdate: endpoint('POST /v1/updates/{id}/reject', 'Reject an update', {
    byExternalId: 'rejectUpdateByExternalId',
    reply: Update,
    errors: { not_pending: 409 },
    example: { params: { id: 2, external_id: 'U-2' } },
  }),
};

/** The endpoint of updates as that of kudos. */
const as = <E extends Endpoint, const P extends string, const R>(one: E, path: P, summary: string, own: R) =>
  ({ ...one, path, summary, ...own }) as Omit<E, keyof R | 'path'> & R & { path: P };
const reads = { scope: 'kudos.*.read' } as const;
const writes = { scope: 'kudos.*.write', reply: Kudos } as const;
const first = { params: { id: 1, external_id: 'K-1' } } as const;
const waiting = { params: { id: 2, external_id: 'K-2' } } as const;

export const updates = family('updates', 'Short news that people post to everybody, to spaces or to teams.', update);
export const kudos = family('kudos', 'Thanks in public: posts with recipients.', {
  createKudos: as(update.createUpdate, '/v1/kudos', 'Give kudos', {
    ...writes,
    description: 'Needs recipients: users, teams or both. A badge is awarded to every user among them but the author.',
    body: NewKudos,
    errors: kudosErrors,
    emits: ['kudos.published', 'badge.assigned'],
    example: { body: { text: 'Thank you for the night shift!', recipients: { users: [4], teams: [1] } } },
  }),
  listKudos: as(update.listUpdates, '/v1/kudos', 'List kudos', {
    ...reads,
    query: t.Object({ ...update.listUpdates.query.properties, ...thanking }),
    list: Kudos,
  }),
  getKudos: as(update.getUpdate, '/v1/kudos/{id}', 'Read kudos', {
    ...reads,
    byExternalId: 'getKudosByExternalId',
    reply: KudosWithLanguages,
    example: first,
  }),
  replaceKudos: as(update.replaceUpdate, '/v1/kudos/{id}', 'Replace kudos', {
    ...writes,
    byExternalId: 'replaceKudosByExternalId',
    body: t.Object({ ...written, ...thanks }),
    errors: kudosErrors,
    emits: ['kudos.updated'],
    example: { ...first, body: { text: 'Thank you all!', recipients: { users: [4, 5] } } },
  }),
  deleteKudos: as(update.deleteUpdate, '/v1/kudos/{id}', 'Delete kudos', {
    scope: 'kudos.*.write',
    byExternalId: 'deleteKudosByExternalId',
    emits: ['kudos.deleted'],
    example: first,
  }),
  approveKudos: as(update.approveUpdate, '/v1/kudos/{id}/approve', 'Approve kudos', {
    ...writes,
    byExternalId: 'approveKudosByExternalId',
    emits: ['kudos.published', 'badge.assigned'],
    example: waiting,
  }),
  listKudosCampaigns: as(update.listUpdateCampaigns, '/v1/kudos/{id}/campaigns', 'List the campaigns of kudos', {
    byExternalId: 'listKudosCampaignsByExternalId',
    example: first,
  }),
  rejectKudos: as(update.rejectUpdate, '/v1/kudos/{id}/reject', 'Reject kudos', {
    ...writes,
    byExternalId: 'rejectKudosByExternalId',
    example: waiting,
  }),
});

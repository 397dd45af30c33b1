// Updates and kudos: posts of one shape. Kudos thank somebody: they have recipients, and may carry a badge.
import {
  byBothKeys,
  type Endpoint,
  ExternalId,
  endpoint,
  Flag,
  Id,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';
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

export const TEXT_MAX = 100_000;
const sharedTypes = ['page', 'article', 'update', 'kudos', 'event'] as const;

const Approval = Shape(
  {
    status: OneOf(['pending', 'approved', 'rejected']),
    reviewed_by: Nullable(Id()),
    reviewed_at: Nullable(Timestamp()),
  },
  { title: 'ContentApproval' },
);
const fields = {
  id: Id(),
  external_id: Nullable(ExternalId()),
  legacy_system_id: Nullable(ExternalId('The same as external_id.')),
  text: Text(TEXT_MAX, 'Plain.'),
  html: Text(4 * TEXT_MAX, 'Sanitised HTML.'),
  creator: Person,
  goal: Nullable(Goal),
  campaign: Nullable(Campaign),
  shared_post: Nullable(
    Shape(
      { type: OneOf(sharedTypes), id: Id(), permalink: Url() },
      { description: 'What it shares; read it by its own address.' },
    ),
  ),
  requires_acknowledgement: Flag(),
  acknowledgement_due_at: Nullable(Timestamp()),
  content_version: Type.Integer({ description: 'Rises when the text changes; an acknowledgement is of one version.' }),
  content_approval: Optional(Approval),
  ...shownFiles,
  ...postedFields,
};
export const Update = Shape(fields, { title: 'Update' });
const languages = List(Text(35, 'Languages it is translated into.'));
const UpdateWithLanguages = Shape({ ...fields, languages }, { title: 'UpdateWithLanguages' });
const Recipients = Shape(
  {
    users: List(Person),
    teams: List(Shape({ id: Id(), external_id: Nullable(ExternalId()), name: Text(255), avatar_url: Url() })),
  },
  { title: 'Recipients' },
);
/** Interface 2.8. */
const thankingFields = { ...fields, recipients: Recipients, badge_id: Nullable(Id()) };
export const Kudos = Shape(thankingFields, { title: 'Kudos' });
const KudosWithLanguages = Shape({ ...thankingFields, languages }, { title: 'KudosWithLanguages' });

const written = {
  ...newPosted,
  text: Optional(Text(TEXT_MAX, 'Plain text; made from html when only that is given.')),
  html: Optional(Text(4 * TEXT_MAX, 'Sanitised when it is stored; made from text when only that is given.')),
  legacy_system_id: Optional(Nullable(ExternalId('The same as external_id.'))),
  goal_id: Optional(Nullable(Id())),
  campaign_ids: campaignIds,
  shared_post: Optional(Nullable(Shape({ type: OneOf(sharedTypes), id: Id() }))),
  ...acknowledgementFields,
  ...newFiles,
};
const people = (description: string) => Optional(Type.Array(Id(), { maxItems: 500, description }));
const thanks = {
  recipients: Optional(
    Shape({
      users: people('User ids.'),
      external_users: Optional(Type.Array(ExternalId(), { maxItems: 500 })),
      teams: people('Team ids.'),
    }),
  ),
  badge_id: Optional(Nullable(Id())),
};
const NewUpdate = Shape({ ...written, ...authorship });
const NewKudos = Shape({ ...written, ...thanks, ...authorship });
/** Either post as it is written; only kudos have the last fields. */
export type WrittenPost = Static<typeof NewKudos>;

const errors = {
  ...postedErrors,
  ...fileErrors,
  goal_not_found: 400,
  ...campaignErrors,
  shared_post_not_found: 400,
} as const;
const kudosErrors = { ...errors, badge_not_found: 400, recipient_team_not_found: 400 } as const;

const update = {
  createUpdate: endpoint({
    method: 'POST',
    path: '/v1/updates',
    summary: 'Post an update',
    description: 'For everybody, or for the spaces or teams of its audience.',
    scope: 'updates.*.write',
    status: 201,
    body: NewUpdate,
    documented: 'multipart',
    reply: Update,
    errors,
    emits: ['update.published'],
    example: { body: { text: 'The new store opens on Monday.', audience: { type: 'spaces', spaces: [1] } } },
  }),
  listUpdates: endpoint({
    method: 'GET',
    path: '/v1/updates',
    summary: 'List updates',
    description: 'Newest first: all that the caller sees, or what was posted to the given spaces or teams.',
    scope: 'updates.*.read',
    query: Shape({
      ...postedFilters,
      ...inLanguage,
      content_approval: Optional(OneOf(['approved', 'pending', 'rejected'])),
    }),
    list: Update,
    example: { query: { space_ids: 'all', take: 10 } },
  }),
  getUpdate: endpoint({
    method: 'GET',
    path: '/v1/updates/{id}',
    summary: 'Read an update',
    scope: 'updates.*.read',
    query: Shape(inLanguage),
    reply: UpdateWithLanguages,
    example: { params: { id: 1 } },
  }),
  replaceUpdate: endpoint({
    method: 'PUT',
    path: '/v1/updates/{id}',
    summary: 'Replace an update',
    description:
      'What is omitted is cleared; identifiers, language, audience and files are kept. Equal values change nothing. What was rejected waits for approval again.',
    scope: 'updates.*.write',
    body: Shape(written),
    documented: 'multipart',
    reply: Update,
    errors,
    emits: ['update.updated'],
    example: { params: { id: 1 }, body: { text: 'The new store opens on Tuesday.' } },
  }),
  deleteUpdate: endpoint({
    method: 'DELETE',
    path: '/v1/updates/{id}',
    summary: 'Delete an update',
    description: 'Of DELETEs that overlap one gets 200, the others 409.',
    scope: 'updates.*.write',
    reply: Deleted,
    errors: { concurrent_delete: 409 },
    emits: ['update.deleted'],
    example: { params: { id: 1 } },
  }),
  approveUpdate: endpoint({
    method: 'POST',
    path: '/v1/updates/{id}/approve',
    summary: 'Approve an update',
    description: 'Publishes what waits for approval. For owners, admins and moderators of its spaces, and for keys.',
    scope: 'updates.*.write',
    reply: Update,
    errors: { not_pending: 409 },
    emits: ['update.published'],
    example: { params: { id: 2, external_id: 'U-2' } },
  }),
  listUpdateCampaigns: endpoint({
    method: 'GET',
    path: '/v1/updates/{id}/campaigns',
    summary: 'List the campaigns of an update',
    description: 'Newest attachment first.',
    scope: 'campaigns.*.read',
    list: Campaign,
    example: { params: { id: 1 } },
  }),
  rejectUpdate: endpoint({
    method: 'POST',
    path: '/v1/updates/{id}/reject',
    summary: 'Reject an update',
    scope: 'updates.*.write',
    reply: Update,
    errors: { not_pending: 409 },
    example: { params: { id: 2, external_id: 'U-2' } },
  }),
};

/** The endpoint of updates as that of kudos. */
const thanking = <E extends Endpoint, const R>(one: E, own: R) => ({ ...one, ...own }) as Omit<E, keyof R> & R;
const path = '/v1/kudos';
const one = '/v1/kudos/{id}';
const reads = { scope: 'kudos.*.read' } as const;
const writes = { scope: 'kudos.*.write', reply: Kudos } as const;
const waiting = { params: { id: 2, external_id: 'K-2' } } as const;
const kudos = {
  createKudos: thanking(update.createUpdate, {
    ...writes,
    path,
    summary: 'Give kudos',
    description: 'Needs recipients: users, teams or both. A badge is awarded to every user among them but the author.',
    body: NewKudos,
    errors: kudosErrors,
    emits: ['kudos.published', 'badge.assigned'],
    example: { body: { text: 'Thank you for the night shift!', recipients: { users: [4], teams: [1] } } },
  }),
  listKudos: thanking(update.listUpdates, { ...reads, path, summary: 'List kudos', list: Kudos }),
  getKudos: thanking(update.getUpdate, { ...reads, path: one, summary: 'Read kudos', reply: KudosWithLanguages }),
  replaceKudos: thanking(update.replaceUpdate, {
    ...writes,
    path: one,
    summary: 'Replace kudos',
    body: Shape({ ...written, ...thanks }),
    errors: kudosErrors,
    emits: ['kudos.updated'],
    example: { params: { id: 1 }, body: { text: 'Thank you all!', recipients: { users: [4, 5] } } },
  }),
  deleteKudos: thanking(update.deleteUpdate, {
    scope: 'kudos.*.write',
    path: one,
    summary: 'Delete kudos',
    emits: ['kudos.deleted'],
  }),
  approveKudos: thanking(update.approveUpdate, {
    ...writes,
    path: `${one}/approve`,
    summary: 'Approve kudos',
    emits: ['kudos.published', 'badge.assigned'],
    example: waiting,
  }),
  listKudosCampaigns: thanking(update.listUpdateCampaigns, {
    path: `${one}/campaigns`,
    summary: 'List the campaigns of kudos',
  }),
  rejectKudos: thanking(update.rejectUpdate, {
    ...writes,
    path: `${one}/reject`,
    summary: 'Reject kudos',
    example: waiting,
  }),
};

export const updates = byBothKeys(update, 'U-1');
export const kudosFamily = byBothKeys(kudos, 'K-1');

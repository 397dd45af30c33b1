// What articles, updates, kudos and events have in common.
import * as t from '../../kernel/contract/schema.ts';
import { Audience, audienceErrors, NewAudience } from '../audiences/contract.ts';

/** The plural names a noun's path, table and scope family. */
export const plurals = {
  page: 'pages',
  article: 'articles',
  update: 'updates',
  kudos: 'kudos',
  event: 'events',
} as const;
export type ContentNoun = keyof typeof plurals;
export const contentNouns = Object.keys(plurals) as ContentNoun[];
/** Nouns whose content is posted to an audience; pages live in one space. */
export type PostedNoun = Exclude<ContentNoun, 'page'>;
export const postedNouns = ['article', 'update', 'kudos', 'event'] as const satisfies readonly PostedNoun[];

/** The person inside other resources: docs/interface.md, User. */
export const Person = t.Object(
  {
    id: t.Id(),
    external_id: t.Nullable(t.ExternalId()),
    email: t.Email(),
    name: t.Text(511),
    first_name: t.Text(255),
    last_name: t.Text(255),
    avatar_url: t.Url(),
    job_title: t.Text(255),
    timezone: t.Nullable(t.Text(64)),
    locale: t.Nullable(t.Text(35)),
    hire_date: t.Nullable(t.CalendarDate()),
    date_of_birth: t.Nullable(t.CalendarDate()),
    mobile_phone: t.Nullable(t.Text(50)),
    direct_dial: t.Nullable(t.Text(50)),
  },
  { title: 'Person' },
);

/** The author in short. */
export const Creator = t.Object(
  { id: t.Id(), name: t.Text(511), email: t.Text(254), job_title: t.Text(255) },
  { title: 'Creator' },
);

/** A like is one of them. */
export const reactionNames = ['like', 'celebrate', 'thanks', 'laugh', 'surprise', 'sad'] as const;
export type ReactionName = (typeof reactionNames)[number];
export type ReactionCounts = Partial<Record<ReactionName, number>>;
export const ReactionCounts = t.Unsafe<ReactionCounts>({
  ...t.Object(Object.fromEntries(reactionNames.map((name) => [name, t.Optional(t.Integer())]))),
  title: 'ReactionCounts',
  description: 'How many reacted, by reaction; likes are among them.',
});

/** What it is to the person who reads it. */
export const Viewer = t.Object(
  {
    liked_by_me: t.Flag(),
    reaction: t.Nullable(t.OneOf(reactionNames)),
    may_edit: t.Flag(),
    may_delete: t.Flag(),
    saved_by_me: t.Optional(t.Flag()),
    acknowledged_by_me: t.Optional(t.Flag('Of its present version.')),
  },
  { title: 'Viewer', description: 'For sessions and user JWTs; not for keys, nor in webhooks.' },
);

/** Fields at the end of every posted resource. */
export const postedFields = {
  audience: Audience,
  language: t.Text(35, 'Language of the text.'),
  likes_count: t.Integer(),
  reactions: ReactionCounts,
  comments_count: t.Integer(),
  created_at: t.Timestamp(),
  updated_at: t.Timestamp(),
  sequence: t.Integer({ description: 'Ever-increasing; orders changes with equal timestamps.' }),
  permalink: t.Url(),
  viewer: t.Optional(Viewer),
};

export const newPosted = {
  external_id: t.Optional(t.Nullable(t.ExternalId("The caller's own identifier."))),
  audience: t.Optional(NewAudience),
  language: t.Optional(
    t.Nullable(
      t.Language('BCP 47; default: the organisation’s. On replace, another than its own writes that translation.'),
    ),
  ),
};
/** Only when it is created: who wrote it, and when. */
export const authorship = {
  user_id: t.Optional(t.Id('The author. Default: the caller.')),
  user_external_id: t.Optional(t.ExternalId('The author by external id.')),
  created_at: t.Optional(t.Timestamp('For imports, by an app or an admin; never in the future.')),
};

export const postedFilters = {
  space_ids: t.Optional(t.IdListOrAll('Posted to these spaces, or to `all` that the caller can access.')),
  in_spaces: t.Optional(t.Deprecated(t.IdListOrAll('The same as space_ids.'))),
  team_ids: t.Optional(t.IdListOrAll('Posted to these teams, or to `all` that the caller can access.')),
  in_teams: t.Optional(t.Deprecated(t.IdListOrAll('The same as team_ids.'))),
  creator_id: t.Optional(t.Id()),
  created_after: t.Optional(t.Timestamp()),
  created_before: t.Optional(t.Timestamp()),
};
export const inLanguage = { language: t.Optional(t.Language('Falls back to its own language.')) };

export const acknowledgementFields = {
  requires_acknowledgement: t.Optional(t.Flag('Readers are asked to confirm that they read it.')),
  acknowledgement_due_at: t.Optional(t.Nullable(t.Timestamp())),
};

export const Deleted = t.Object({ id: t.Id(), external_id: t.Nullable(t.ExternalId()) });
export const postedErrors = {
  external_id_taken: 409,
  user_not_found: 400,
  space_archived: 409,
  ...audienceErrors,
} as const;

/** Content of the demo organisation that examples of shared endpoints use: by both its ids, and with a comment. */
export const contentExamples = {
  page: { id: 1, external_id: 100, comment_id: 1 },
  article: { id: 1, external_id: 'A-1', comment_id: 4 },
  update: { id: 1, external_id: 'U-1', comment_id: 2 },
  kudos: { id: 1, external_id: 'K-1', comment_id: 3 },
  event: { id: 1, external_id: 'EV-1', comment_id: 5 },
} as const satisfies Record<ContentNoun, object>;

// What articles, updates, kudos and events have in common.
import {
  CalendarDate,
  Email,
  ExternalId,
  Flag,
  Id,
  IdListOrAll,
  Language,
  Nullable,
  Optional,
  Shape,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';
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
/** Nouns whose content is posted to an audience; pages live in one space. */
export type PostedNoun = Exclude<ContentNoun, 'page'>;
/** Those that have a table. */
export const postedNouns = ['article', 'update', 'kudos', 'event'] as const satisfies readonly PostedNoun[];

/** The user object inside other resources (interface 2.8). */
export const Person = Shape(
  {
    id: Id(),
    external_id: Nullable(ExternalId()),
    email: Email(),
    name: Text(511),
    first_name: Text(255),
    last_name: Text(255),
    avatar_url: Url(),
    job_title: Text(255),
    timezone: Nullable(Text(64)),
    locale: Nullable(Text(35)),
    hire_date: Nullable(CalendarDate()),
    date_of_birth: Nullable(CalendarDate()),
    mobile_phone: Nullable(Text(50)),
    direct_dial: Nullable(Text(50)),
  },
  { title: 'Person' },
);

/** Fields at the end of every posted resource. */
export const postedFields = {
  audience: Audience,
  language: Nullable(Text(35, 'Language of the text.')),
  likes_count: Type.Integer(),
  comments_count: Type.Integer(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  sequence: Type.Integer({ description: 'Ever-increasing; orders changes with equal timestamps.' }),
  permalink: Url(),
};

export const newPosted = {
  external_id: Optional(Nullable(ExternalId("The caller's own identifier."))),
  audience: Optional(NewAudience),
  language: Optional(Nullable(Language('BCP 47. On replace, a language other than its own writes that translation.'))),
};
/** Only when it is created: who wrote it, and when. */
export const authorship = {
  user_id: Optional(Id('The author. Default: the caller.')),
  user_external_id: Optional(ExternalId('The author by external id.')),
  created_at: Optional(Timestamp('For imports, by an app or an admin; never in the future.')),
};

export const postedFilters = {
  space_ids: Optional(IdListOrAll('Posted to these spaces, or to `all` that the caller can access.')),
  in_spaces: Optional(IdListOrAll('The same as space_ids.')),
  team_ids: Optional(IdListOrAll('Posted to these teams, or to `all` that the caller can access.')),
  in_teams: Optional(IdListOrAll('The same as team_ids.')),
  creator_id: Optional(Id()),
  created_after: Optional(Timestamp()),
  created_before: Optional(Timestamp()),
  updated_after: Optional(Timestamp()),
};
export const inLanguage = { language: Optional(Language('Falls back to its own language.')) };

export const acknowledgementFields = {
  requires_acknowledgement: Optional(Flag('Readers are asked to confirm that they read it.')),
  acknowledgement_due_at: Optional(Nullable(Timestamp())),
};

export const Deleted = Shape({ id: Id(), external_id: Nullable(ExternalId()) });
export const postedErrors = {
  external_id_taken: 409,
  user_not_found: 400,
  space_archived: 409,
  ...audienceErrors,
} as const;

export interface ContentExample {
  id: number;
  external_id: string | number;
  comment_id: number;
}
/** Demo content that examples of shared endpoints use: id, external id, and a comment on it. */
export const contentExamples: readonly (readonly [ContentNoun, ContentExample])[] = [
  ['page', { id: 1, external_id: 100, comment_id: 1 }],
  ['article', { id: 1, external_id: 'A-1', comment_id: 4 }],
  ['update', { id: 1, external_id: 'U-1', comment_id: 2 }],
  ['kudos', { id: 1, external_id: 'K-1', comment_id: 3 }],
  ['event', { id: 1, external_id: 'EV-1', comment_id: 5 }],
];

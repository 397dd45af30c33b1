import {
  days,
  ExternalId,
  endpoint,
  Flag,
  family,
  Id,
  IdListOrAll,
  Link,
  List,
  Nullable,
  OneOf,
  Optional,
  RequiredText,
  Shape,
  type Static,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';
import { audienceErrors } from '../audiences/contract.ts';
import { Person } from '../content/contract.ts';

const recording = OneOf(['none', 'processing', 'done']);
export const Livestream = Shape(
  {
    id: Id(),
    title: Text(255),
    description: Text(5000),
    host: Person,
    started_at: Nullable(Timestamp()),
    ended_at: Nullable(Timestamp()),
    audience: Shape(
      { is_global: Flag(), spaces: List(Id()), teams: List(Id()) },
      { description: 'Ids that the caller knows of.' },
    ),
    viewers_count: Type.Integer(),
    is_recorded: Flag('It is recorded, or will be.'),
    recording_status: recording,
    video: Nullable(Shape({ url: Url() })),
    created_at: Timestamp(),
    updated_at: Timestamp(),
    permalink: Url(),
  },
  { title: 'Livestream' },
);

const targets = Optional(Type.Array(Id(), { maxItems: 200 }));
const NewAudience = Shape({ is_global: Flag(), spaces: targets, teams: targets });
export type NewLivestreamAudience = Static<typeof NewAudience>;
const written = {
  title: RequiredText(255),
  description: Optional(Text(5000)),
  host_id: Optional(Id('Default: the caller.')),
  host_external_id: Optional(ExternalId('The host by external id.')),
  started_at: Optional(Nullable(Timestamp('Null: it has not started.'))),
  ended_at: Optional(Nullable(Timestamp('Null: it has not ended.'))),
  audience: Optional(NewAudience),
  viewers_count: Optional(
    Type.Integer({ minimum: 0, maximum: 2_000_000_000, description: 'As counted by who streams the video.' }),
  ),
  is_recorded: Optional(Flag()),
  recording_status: Optional(recording),
  video: Optional(
    Nullable(Shape({ url: Link() }, { description: 'Where the live video, later the recording is played.' })),
  ),
};
const LivestreamReplacement = Shape(written);
export type LivestreamReplacement = Static<typeof LivestreamReplacement>;
const errors = { user_not_found: 400, space_archived: 409, ...audienceErrors } as const;
const moment = (description: string) => Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }));

export const livestreams = family('livestreams', 'Live video for everybody, or for some spaces and teams.', {
  listLivestreams: endpoint({
    method: 'GET',
    path: '/v1/livestreams',
    summary: 'List livestreams',
    description:
      'Newest first. Days and moments choose what was live then, from started_at to ended_at; one that has not started counts with created_at.',
    scope: 'livestreams.*.read',
    query: Shape({
      ...days,
      from: moment('Unix seconds.'),
      to: moment('Unix seconds, inclusive.'),
      in_spaces: Optional(IdListOrAll('For these spaces, or for any that the caller knows of.')),
      is_global: Optional(Flag()),
      is_recorded: Optional(Flag()),
    }),
    list: Livestream,
    example: { query: { startDate: '2020-01-01', endDate: '2099-12-31', is_global: 1 } },
  }),
  getLivestream: endpoint({
    method: 'GET',
    path: '/v1/livestreams/{id}',
    summary: 'Read a livestream',
    scope: 'livestreams.*.read',
    reply: Livestream,
    example: { params: { id: 1 } },
  }),
  createLivestream: endpoint({
    method: 'POST',
    path: '/v1/livestreams',
    summary: 'Create a livestream',
    scope: 'livestreams.*.write',
    status: 201,
    body: Shape({ ...written, created_at: Optional(Timestamp('For imports; never in the future.')) }),
    documented: 'json',
    reply: Livestream,
    errors,
    example: {
      body: {
        title: 'Quarterly results',
        host_id: 1,
        audience: { is_global: false, spaces: [1], teams: [2] },
        is_recorded: true,
      },
    },
  }),
  replaceLivestream: endpoint({
    method: 'PUT',
    path: '/v1/livestreams/{id}',
    summary: 'Replace a livestream',
    description: 'An omitted description or video is cleared; all else is kept when omitted.',
    scope: 'livestreams.*.write',
    body: LivestreamReplacement,
    documented: 'json',
    reply: Livestream,
    errors,
    example: {
      params: { id: 1 },
      body: {
        title: 'Town hall',
        is_recorded: true,
        recording_status: 'done',
        video: { url: 'https://video.northwind.example/town-hall' },
      },
    },
  }),
  startLivestream: endpoint({
    method: 'POST',
    path: '/v1/livestreams/{id}/start',
    summary: 'Start a livestream',
    scope: 'livestreams.*.write',
    reply: Livestream,
    errors: { already_started: 409 },
    example: { params: { id: 2 } },
  }),
  endLivestream: endpoint({
    method: 'POST',
    path: '/v1/livestreams/{id}/end',
    summary: 'End a livestream',
    description: 'If it is recorded, recording_status becomes processing.',
    scope: 'livestreams.*.write',
    reply: Livestream,
    errors: { not_live: 409 },
    example: { params: { id: 1 } },
  }),
  deleteLivestream: endpoint({
    method: 'DELETE',
    path: '/v1/livestreams/{id}',
    summary: 'Delete a livestream',
    scope: 'livestreams.*.write',
    reply: Shape({ id: Id() }),
    example: { params: { id: 1 } },
  }),
});

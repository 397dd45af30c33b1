import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { audienceErrors, GlobalOrLimited } from '../audiences/contract.ts';
import { Person } from '../content/contract.ts';
import { ending, rowContract } from '../pictures/contract.ts';

const recording = t.OneOf(['none', 'processing', 'done']);
export const Livestream = t.Object(
  {
    id: t.Id(),
    title: t.Text(255),
    description: t.Text(5000),
    host: Person,
    started_at: t.Nullable(t.Timestamp()),
    ended_at: t.Nullable(t.Timestamp()),
    audience: GlobalOrLimited,
    viewers_count: t.Integer(),
    is_recorded: t.Flag('It is recorded, or will be.'),
    recording_status: recording,
    video: t.Nullable(t.Object({ url: t.Url() })),
    ...ending,
  },
  { title: 'Livestream' },
);

const targets = t.Optional(t.Array(t.Id(), { maxItems: 200 }));
const NewAudience = t.Object({ is_global: t.Flag(), spaces: targets, teams: targets });
export type NewLivestreamAudience = t.Static<typeof NewAudience>;
const written = {
  title: t.RequiredText(255),
  description: t.Optional(t.Text(5000)),
  host_id: t.Optional(t.Id('Default: the caller.')),
  host_external_id: t.Optional(t.ExternalId('The host by external id.')),
  started_at: t.Optional(t.Nullable(t.Timestamp('Null: it has not started.'))),
  ended_at: t.Optional(t.Nullable(t.Timestamp('Null: it has not ended.'))),
  audience: t.Optional(NewAudience),
  viewers_count: t.Optional(
    t.Integer({ minimum: 0, maximum: 2_000_000_000, description: 'As counted by who streams the video.' }),
  ),
  is_recorded: t.Optional(t.Flag()),
  recording_status: t.Optional(recording),
  video: t.Optional(
    t.Nullable(t.Object({ url: t.Link() }, { description: 'Where the live video, later the recording is played.' })),
  ),
};
const row = rowContract(Livestream, written, {
  errors: { user_not_found: 400, space_archived: 409, ...audienceErrors },
});
export type LivestreamReplacement = t.Static<typeof row.replaces.body>;
const moment = (description: string) => t.Optional(t.Integer({ minimum: 0, maximum: 253_402_300_799, description }));

export const livestreams = family('livestreams', 'Live video for everybody, or for some spaces and teams.', {
  listLivestreams: endpoint('GET /v1/livestreams', 'List livestreams', {
    description:
      'Newest first. Days and moments choose what was live then, from started_at to ended_at; one that has not ' +
      'started counts with created_at.',
    query: t.Object({
      ...t.days,
      from: moment('Unix seconds.'),
      to: moment('Unix seconds, inclusive.'),
      in_spaces: t.Optional(t.IdListOrAll('For these spaces, or for any that the caller knows of.')),
      is_global: t.Optional(t.Flag()),
      is_recorded: t.Optional(t.Flag()),
    }),
    list: Livestream,
    example: { query: { startDate: '2020-01-01', endDate: '2099-12-31', is_global: 1 } },
  }),
  getLivestream: endpoint('GET /v1/livestreams/{id}', 'Read a livestream', row.gets),
  createLivestream: endpoint('POST /v1/livestreams', 'Create a livestream', {
    ...row.creates,
    example: {
      body: {
        title: 'Quarterly results',
        host_id: 1,
        audience: { is_global: false, spaces: [1], teams: [2] },
        is_recorded: true,
      },
    },
  }),
  replaceLivestream: endpoint('PUT /v1/livestreams/{id}', 'Replace a livestream', {
    ...row.replaces,
    description: 'An omitted description or video is cleared; all else is kept when omitted.',
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
  startLivestream: endpoint('POST /v1/livestreams/{id}/start', 'Start a livestream', {
    reply: Livestream,
    errors: { already_started: 409 },
    example: { params: { id: 2 } },
  }),
  endLivestream: endpoint('POST /v1/livestreams/{id}/end', 'End a livestream', {
    description: 'If it is recorded, recording_status becomes processing.',
    reply: Livestream,
    errors: { not_live: 409 },
    example: { params: { id: 1 } },
  }),
  deleteLivestream: endpoint('DELETE /v1/livestreams/{id}', 'Delete a livestream', row.deletes),
});

import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { User } from '../users/contract.ts';

const entry = {
  id: t.Id(),
  name: t.Text(511),
  job_title: t.Text(255),
  avatar_url: t.Url(),
  is_active: t.Flag(),
};
const Entry = t.Object(
  {
    ...entry,
    is_frontline: t.Flag(),
    teams: t.Array(t.Object({ id: t.Id(), name: t.Text(255) }), { description: 'The first five by name.' }),
  },
  { title: 'DirectoryEntry' },
);
const Position = t.Object(
  { ...entry, manager_id: t.Nullable(t.Id()), reports_count: t.Integer({ minimum: 0 }) },
  { title: 'Position' },
);
/** What people say of themselves; all else about them is said by the organisation. */
const Profile = t.Object({
  display_name: t.Optional(t.Nullable(t.Text(255))),
  timezone: t.Optional(t.Nullable(t.Timezone())),
  locale: t.Optional(t.Nullable(t.Language())),
  mobile_phone: t.Optional(t.Nullable(t.Text(64))),
  direct_dial: t.Optional(t.Nullable(t.Text(64))),
});
export type Profile = t.Static<typeof Profile>;
const reads = { scope: 'users.*.read' } as const;
const own = { scope: null, actors: 'session', reply: User, emits: ['user.updated'] } as const;

export const directory = family('directory', 'Colleagues by name, who reports to whom, and one’s own profile.', {
  listDirectory: endpoint('GET /v1/directory', 'List colleagues', {
    ...reads,
    description: 'Active people by name.',
    query: t.Object({
      q: t.Optional(t.Text(100, 'The beginning of their full or last name.')),
      in_teams: t.Optional(t.IdList('Only members of one of these teams.')),
    }),
    list: Entry,
    example: { query: { q: 'em' } },
  }),
  listPositions: endpoint('GET /v1/directory/positions', 'List who reports to a person', {
    ...reads,
    description:
      'By name. Without a manager_id: people who have no manager and to whom others report. Who has left is listed ' +
      'for as long as active people report to them.',
    query: t.Object({ manager_id: t.Optional(t.Id()) }),
    list: Position,
    example: { query: { manager_id: 1 } },
  }),
  listManagers: endpoint('GET /v1/directory/positions/{id}/managers', 'List the managers above a person', {
    ...reads,
    description: 'From the top down to the person, at most 50 levels.',
    reply: t.Array(Position),
    example: { params: { id: 4 } },
  }),
  replaceMyProfile: endpoint('PUT /v1/me/profile', 'Replace what my profile says of me', {
    ...own,
    description: 'What is omitted is cleared.',
    body: Profile,
    example: { body: { mobile_phone: '+49 151 5550105', timezone: 'Europe/Berlin', locale: 'de' } },
  }),
  putMyPhoto: endpoint('PUT /v1/me/profile-photo', 'Set my profile photo', {
    ...own,
    body: t.Object({ image: t.File('PNG, JPEG, GIF or WebP, at most 5 MB.') }),
    documented: 'multipart',
    errors: { image_invalid: 400 },
    example: { body: { image: 'file:portrait.png' } },
  }),
});

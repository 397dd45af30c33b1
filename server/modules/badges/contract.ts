import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { ending, pictureErrors, rowContract } from '../pictures/contract.ts';
import { User } from '../users/contract.ts';

export const ruleTypes = ['years_of_service', 'kudos_received', 'badge_held'] as const;
const Rule = t.Object(
  {
    type: t.OneOf(
      ruleTypes,
      'years_of_service: since hire_date. kudos_received: kudos of others that name the person. badge_held: the ' +
        'person holds another badge.',
    ),
    threshold: t.Optional(
      t.Integer({ minimum: 1, maximum: 1_000_000, description: 'Years or kudos; not for badge_held.' }),
    ),
    badge_id: t.Optional(t.Id('The other badge; only for badge_held.')),
  },
  { title: 'BadgeRule' },
);
export type Rule = t.Static<typeof Rule>;

const colours = t.Array(t.Colour(), { maxItems: 20, description: 'Hexadecimal (#ffd700) or CSS names.' });
const needed = t.OneOf(['all', 'any'], 'How many of the rules a person must meet.');
const amount = t.Integer({ minimum: 0, maximum: 2_000_000_000 });
/** docs/interface.md, Badge. */
export const Badge = t.Object(
  {
    id: t.Id(),
    title: t.Text(255),
    description: t.Text(2000),
    type: t.Text(50),
    value: amount,
    rules_active: t.Flag('Whoever meets the rules gets the badge by itself.'),
    rules_needed: needed,
    award_msg: t.Nullable(t.Text(2000)),
    award_confetti: t.Flag(),
    award_confetti_colours: colours,
    badge_received_count: t.Integer({ description: 'Active people who hold it.' }),
    image: t.Nullable(t.Url()),
    award_image: t.Nullable(t.Url()),
    rules: t.Array(Rule),
    ...ending,
  },
  { title: 'Badge' },
);
export const BadgeUser = t.Object(
  { user: User, created_at: t.Timestamp('When it was assigned.') },
  { title: 'BadgeUser' },
);

const written = {
  title: t.RequiredText(255),
  description: t.Optional(t.Text(2000)),
  type: t.Optional(t.RequiredText(50, 'Default standard.')),
  value: t.Optional(amount),
  rules_active: t.Optional(t.Flag()),
  rules_needed: t.Optional(needed),
  award_msg: t.Optional(t.Nullable(t.Text(2000))),
  award_confetti: t.Optional(t.Flag()),
  award_confetti_colours: t.Optional(colours),
  image: t.Optional(t.Picture()),
  award_image: t.Optional(t.Picture()),
  rules: t.Optional(t.Array(Rule, { maxItems: 20 })),
};

const PEOPLE_MAX = 1000;
const Holders = t.Object({
  user_id: t.Optional(t.Id()),
  user_external_id: t.Optional(t.ExternalId()),
  user_ids: t.Optional(t.Array(t.Id(), { maxItems: PEOPLE_MAX })),
  user_external_ids: t.Optional(t.Array(t.ExternalId(), { maxItems: PEOPLE_MAX })),
});
export type Holders = t.Static<typeof Holders>;
const changed = t.Object({ users_added: t.Integer(), users_removed: t.Integer() });
const row = rowContract(Badge, written, {
  documented: 'multipart',
  errors: { ...pictureErrors, badge_not_found: 400 },
});
export type BadgeReplacement = t.Static<typeof row.replaces.body>;

export const badges = family('badges', 'Distinctions that people receive, by hand or by rules.', {
  listBadges: endpoint('GET /v1/badges', 'List badges', {
    description: 'Ordered by id.',
    query: t.Object({ user_id: t.Optional(t.Id('Only those that this person holds.')) }),
    list: Badge,
    example: { query: { take: 10 } },
  }),
  getBadge: endpoint('GET /v1/badges/{id}', 'Read a badge', row.gets),
  createBadge: endpoint('POST /v1/badges', 'Create a badge', {
    description: 'With active rules, everybody who meets them gets it shortly afterwards.',
    ...row.creates,
    example: {
      body: {
        title: 'Ten years',
        value: 100,
        award_msg: 'Thank you for ten years!',
        award_confetti: true,
        award_confetti_colours: ['#ffd700', '#1d4ed8'],
        rules_active: true,
        rules: [{ type: 'years_of_service', threshold: 10 }],
      },
    },
  }),
  replaceBadge: endpoint('PUT /v1/badges/{id}', 'Replace a badge', {
    ...row.replaces,
    description:
      'What is omitted is reset, but pictures are kept. People keep a badge whose rules they no longer meet.',
    example: { params: { id: 1 }, body: { title: 'Team player', description: 'Helps others first.', value: 20 } },
  }),
  deleteBadge: endpoint('DELETE /v1/badges/{id}', 'Delete a badge', {
    ...row.deletes,
    description: 'It is unassigned from everybody. Of DELETEs that overlap one gets 200, the others 409.',
    errors: { concurrent_delete: 409 },
    emits: ['badge.unassigned'],
  }),
  listBadgeUsers: endpoint('GET /v1/badges/{id}/users', 'List who holds a badge', {
    description: 'Active people, newest assignment first.',
    list: BadgeUser,
    example: { params: { id: 1 }, query: { take: 10 } },
  }),
  assignBadge: endpoint('POST /v1/badges/{id}/users', 'Assign a badge to people', {
    description: 'All or nothing. Who holds it already keeps it and is not counted.',
    status: 201,
    body: t.Object({ ...Holders.properties, created_at: t.Optional(t.Timestamp('For imports; never in the future.')) }),
    reply: Badge,
    meta: changed,
    emits: ['badge.assigned'],
    example: { params: { id: 1 }, body: { user_ids: [2, 3] } },
  }),
  unassignBadge: endpoint('DELETE /v1/badges/{id}/users', 'Unassign a badge from people', {
    description: 'All or nothing. Who does not hold it is not counted. Rules do not give it back.',
    body: Holders,
    reply: Badge,
    meta: changed,
    emits: ['badge.unassigned'],
    example: { params: { id: 1 }, body: { user_id: 4 } },
  }),
  unassignBadgeFromUser: endpoint('DELETE /v1/badges/{id}/users/{user_id}', 'Unassign a badge from one person', {
    description: '404 when the person does not hold it. Rules do not give it back.',
    reply: Badge,
    emits: ['badge.unassigned'],
    example: { params: { id: 1, user_id: 4 } },
  }),
});

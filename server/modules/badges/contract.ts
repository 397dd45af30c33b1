import {
  Colour,
  ExternalId,
  endpoint,
  Flag,
  family,
  Id,
  List,
  Nullable,
  OneOf,
  Optional,
  Picture,
  RequiredText,
  Shape,
  type Static,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';
import { User } from '../users/contract.ts';

export const ruleTypes = ['years_of_service', 'kudos_received', 'badge_held'] as const;
const Rule = Shape(
  {
    type: OneOf(
      ruleTypes,
      'years_of_service: since hire_date. kudos_received: kudos of others that name the person. badge_held: the person holds another badge.',
    ),
    threshold: Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Years or kudos; not for badge_held.' }),
    ),
    badge_id: Optional(Id('The other badge; only for badge_held.')),
  },
  { title: 'BadgeRule' },
);
export type Rule = Static<typeof Rule>;

const colours = Type.Array(Colour(), { maxItems: 20, description: 'Hexadecimal (#ffd700) or CSS names.' });
const needed = OneOf(['all', 'any'], 'How many of the rules a person must meet.');
const amount = Type.Integer({ minimum: 0, maximum: 2_000_000_000 });
/** Interface 2.7. */
export const Badge = Shape(
  {
    id: Id(),
    title: Text(255),
    description: Text(2000),
    type: Text(50),
    value: amount,
    rules_active: Flag('Whoever meets the rules gets the badge by itself.'),
    rules_needed: needed,
    award_msg: Nullable(Text(2000)),
    award_confetti: Flag(),
    award_confetti_colours: colours,
    badge_received_count: Type.Integer({ description: 'Active people who hold it.' }),
    image: Nullable(Url()),
    award_image: Nullable(Url()),
    rules: List(Rule),
    created_at: Timestamp(),
    updated_at: Timestamp(),
    permalink: Url(),
  },
  { title: 'Badge' },
);
export const BadgeUser = Shape({ user: User, created_at: Timestamp('When it was assigned.') }, { title: 'BadgeUser' });

const written = {
  title: RequiredText(255),
  description: Optional(Text(2000)),
  type: Optional(RequiredText(50, 'Default standard.')),
  value: Optional(amount),
  rules_active: Optional(Flag()),
  rules_needed: Optional(needed),
  award_msg: Optional(Nullable(Text(2000))),
  award_confetti: Optional(Flag()),
  award_confetti_colours: Optional(colours),
  image: Optional(Picture()),
  award_image: Optional(Picture()),
  rules: Optional(Type.Array(Rule, { maxItems: 20 })),
};
const BadgeReplacement = Shape(written);
export type BadgeReplacement = Static<typeof BadgeReplacement>;

const PEOPLE_MAX = 1000;
const Holders = Shape({
  user_id: Optional(Id()),
  user_external_id: Optional(ExternalId()),
  user_ids: Optional(Type.Array(Id(), { maxItems: PEOPLE_MAX })),
  user_external_ids: Optional(Type.Array(ExternalId(), { maxItems: PEOPLE_MAX })),
});
export type Holders = Static<typeof Holders>;
const changed = Shape({ users_added: Type.Integer(), users_removed: Type.Integer() });
const errors = { image_invalid: 400, badge_not_found: 400 } as const;

export const badges = family('badges', 'Distinctions that people receive, by hand or by rules.', {
  listBadges: endpoint({
    method: 'GET',
    path: '/v1/badges',
    summary: 'List badges',
    description: 'Ordered by id.',
    scope: 'badges.*.read',
    list: Badge,
    example: { query: { take: 10 } },
  }),
  getBadge: endpoint({
    method: 'GET',
    path: '/v1/badges/{id}',
    summary: 'Read a badge',
    scope: 'badges.*.read',
    reply: Badge,
    example: { params: { id: 1 } },
  }),
  createBadge: endpoint({
    method: 'POST',
    path: '/v1/badges',
    summary: 'Create a badge',
    description: 'With active rules, everybody who meets them gets it shortly afterwards.',
    scope: 'badges.*.write',
    status: 201,
    body: Shape({ ...written, created_at: Optional(Timestamp('For imports; never in the future.')) }),
    documented: 'multipart',
    reply: Badge,
    errors,
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
  replaceBadge: endpoint({
    method: 'PUT',
    path: '/v1/badges/{id}',
    summary: 'Replace a badge',
    description:
      'What is omitted is reset, but pictures are kept. People keep a badge whose rules they no longer meet.',
    scope: 'badges.*.write',
    body: BadgeReplacement,
    documented: 'multipart',
    reply: Badge,
    errors,
    example: { params: { id: 1 }, body: { title: 'Team player', description: 'Helps others first.', value: 20 } },
  }),
  deleteBadge: endpoint({
    method: 'DELETE',
    path: '/v1/badges/{id}',
    summary: 'Delete a badge',
    description: 'It is unassigned from everybody. Of DELETEs that overlap one gets 200, the others 409.',
    scope: 'badges.*.write',
    reply: Shape({ id: Id() }),
    errors: { concurrent_delete: 409 },
    emits: ['badge.unassigned'],
    example: { params: { id: 1 } },
  }),
  listBadgeUsers: endpoint({
    method: 'GET',
    path: '/v1/badges/{id}/users',
    summary: 'List who holds a badge',
    description: 'Active people, newest assignment first.',
    scope: 'badges.*.read',
    list: BadgeUser,
    example: { params: { id: 1 }, query: { take: 10 } },
  }),
  assignBadge: endpoint({
    method: 'POST',
    path: '/v1/badges/{id}/users',
    summary: 'Assign a badge to people',
    description: 'All or nothing. Who holds it already keeps it and is not counted.',
    scope: 'badges.*.write',
    status: 201,
    body: Shape({ ...Holders.properties, created_at: Optional(Timestamp('For imports; never in the future.')) }),
    documented: 'json',
    reply: Badge,
    meta: changed,
    emits: ['badge.assigned'],
    example: { params: { id: 1 }, body: { user_ids: [2, 3] } },
  }),
  unassignBadge: endpoint({
    method: 'DELETE',
    path: '/v1/badges/{id}/users',
    summary: 'Unassign a badge from people',
    description: 'All or nothing. Who does not hold it is not counted. Rules do not give it back.',
    scope: 'badges.*.write',
    body: Holders,
    documented: 'json',
    reply: Badge,
    meta: changed,
    emits: ['badge.unassigned'],
    example: { params: { id: 1 }, body: { user_id: 4 } },
  }),
  unassignBadgeFromUser: endpoint({
    method: 'DELETE',
    path: '/v1/badges/{id}/users/{user_id}',
    summary: 'Unassign a badge from one person',
    description: '404 when the person does not hold it. Rules do not give it back.',
    scope: 'badges.*.write',
    reply: Badge,
    emits: ['badge.unassigned'],
    example: { params: { id: 1, user_id: 4 } },
  }),
});

import {
  Colour,
  endpoint,
  Flag,
  family,
  Id,
  Nullable,
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

export const Campaign = Shape(
  {
    id: Id(),
    title: Text(255),
    description: Text(2000),
    starts_at: Nullable(Timestamp()),
    ends_at: Nullable(Timestamp()),
    is_active: Flag('It has started and has not ended.'),
    colour: Nullable(Colour()),
    image: Nullable(Url()),
    created_at: Timestamp(),
    updated_at: Timestamp(),
    permalink: Url(),
  },
  { title: 'Campaign' },
);
const written = {
  title: RequiredText(255),
  description: Optional(Text(2000)),
  starts_at: Optional(Nullable(Timestamp('Null: it has always been going on.'))),
  ends_at: Optional(Nullable(Timestamp('Null: it goes on for ever.'))),
  colour: Optional(Nullable(Colour('Hexadecimal (#1d4ed8) or a CSS name.'))),
  image: Optional(Picture()),
};
const CampaignReplacement = Shape(written);
export type CampaignReplacement = Static<typeof CampaignReplacement>;
const errors = { image_invalid: 400 } as const;

/** What may belong to campaigns. */
export type CampaignKind = 'article' | 'update' | 'kudos';
/** Field and codes of a body that attaches campaigns. */
export const campaignIds = Optional(Type.Array(Id(), { maxItems: 50, description: 'Campaigns that it belongs to.' }));
export const campaignErrors = { campaign_not_found: 400 } as const;

export const campaigns = family('campaigns', 'Topics of a season, which articles, updates and kudos belong to.', {
  listCampaigns: endpoint({
    method: 'GET',
    path: '/v1/campaigns',
    summary: 'List campaigns',
    description: 'Ordered by id.',
    scope: 'campaigns.*.read',
    query: Shape({ is_active: Optional(Flag('Only those that go on now, or only the others.')) }),
    list: Campaign,
    example: { query: { is_active: 1 } },
  }),
  getCampaign: endpoint({
    method: 'GET',
    path: '/v1/campaigns/{id}',
    summary: 'Read a campaign',
    scope: 'campaigns.*.read',
    reply: Campaign,
    example: { params: { id: 1 } },
  }),
  createCampaign: endpoint({
    method: 'POST',
    path: '/v1/campaigns',
    summary: 'Create a campaign',
    scope: 'campaigns.*.write',
    status: 201,
    body: Shape({ ...written, created_at: Optional(Timestamp('For imports; never in the future.')) }),
    documented: 'multipart',
    reply: Campaign,
    errors,
    example: {
      body: {
        title: 'Safety week',
        starts_at: '2026-05-04T00:00:00Z',
        ends_at: '2026-05-09T00:00:00Z',
        colour: '#b45309',
      },
    },
  }),
  replaceCampaign: endpoint({
    method: 'PUT',
    path: '/v1/campaigns/{id}',
    summary: 'Replace a campaign',
    description: 'What is omitted is reset, but the picture is kept.',
    scope: 'campaigns.*.write',
    body: CampaignReplacement,
    documented: 'multipart',
    reply: Campaign,
    errors,
    example: { params: { id: 1 }, body: { title: 'New stores', description: 'We open in four cities.' } },
  }),
  deleteCampaign: endpoint({
    method: 'DELETE',
    path: '/v1/campaigns/{id}',
    summary: 'Delete a campaign',
    description: 'What belonged to it stays.',
    scope: 'campaigns.*.write',
    reply: Shape({ id: Id() }),
    example: { params: { id: 1 } },
  }),
});

import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { ending, pictureErrors, rowContract } from '../pictures/contract.ts';

export const Campaign = t.Object(
  {
    id: t.Id(),
    title: t.Text(255),
    description: t.Text(2000),
    starts_at: t.Nullable(t.Timestamp()),
    ends_at: t.Nullable(t.Timestamp()),
    is_active: t.Flag('It has started and has not ended.'),
    colour: t.Nullable(t.Colour()),
    image: t.Nullable(t.Url()),
    ...ending,
  },
  { title: 'Campaign' },
);
const written = {
  title: t.RequiredText(255),
  description: t.Optional(t.Text(2000)),
  starts_at: t.Optional(t.Nullable(t.Timestamp('Null: it has always been going on.'))),
  ends_at: t.Optional(t.Nullable(t.Timestamp('Null: it goes on for ever.'))),
  colour: t.Optional(t.Nullable(t.Colour('Hexadecimal (#1d4ed8) or a CSS name.'))),
  image: t.Optional(t.Picture()),
};
const row = rowContract(Campaign, written, { documented: 'multipart', errors: pictureErrors });

/** What may belong to campaigns. */
export type CampaignKind = 'article' | 'update' | 'kudos';
/** Field and codes of a body that attaches campaigns. */
export const campaignIds = t.Optional(t.Array(t.Id(), { maxItems: 50, description: 'Campaigns that it belongs to.' }));
export const campaignErrors = { campaign_not_found: 400 } as const;

export const campaigns = family('campaigns', 'Topics of a season, which articles, updates and kudos belong to.', {
  listCampaigns: endpoint('GET /v1/campaigns', 'List campaigns', {
    description: 'Ordered by id.',
    query: t.Object({ is_active: t.Optional(t.Flag('Only those that go on now, or only the others.')) }),
    list: Campaign,
    example: { query: { is_active: 1 } },
  }),
  getCampaign: endpoint('GET /v1/campaigns/{id}', 'Read a campaign', row.gets),
  createCampaign: endpoint('POST /v1/campaigns', 'Create a campaign', {
    ...row.creates,
    example: {
      body: {
        title: 'Safety week',
        starts_at: '2026-05-04T00:00:00Z',
        ends_at: '2026-05-09T00:00:00Z',
        colour: '#b45309',
      },
    },
  }),
  replaceCampaign: endpoint('PUT /v1/campaigns/{id}', 'Replace a campaign', {
    ...row.replaces,
    description: 'What is omitted is reset, but the picture is kept.',
    example: { params: { id: 1 }, body: { title: 'New stores', description: 'We open in four cities.' } },
  }),
  deleteCampaign: endpoint('DELETE /v1/campaigns/{id}', 'Delete a campaign', {
    ...row.deletes,
    description: 'What belonged to it stays.',
  }),
});

import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { checkPeriod } from '../../kernel/data/periods.ts';
import { routes } from '../../kernel/http/routes.ts';
import { withPictures } from '../pictures/queries.ts';
import { importedAt } from '../users/access.ts';
import { campaigns } from './contract.ts';
import * as queries from './queries.ts';

export const campaignRoutes = routes(campaigns, {
  listCampaigns: ({ tx, query }) => queries.listCampaigns(tx, query),
  getCampaign: async ({ tx, params }) => (await queries.findCampaign(tx, params.id)) ?? refuseNotFound(),
  createCampaign({ tx, actor, services, body: { image, ...campaign } }) {
    checkPeriod(campaign, 'starts_at', 'ends_at');
    return withPictures(services.storage, tx.organisation_id, { image }, (keys) =>
      queries.insertCampaign(tx, {
        ...campaign,
        image_key: keys.image,
        created_at: importedAt(tx, actor, campaign.created_at),
      }),
    );
  },
  replaceCampaign({ tx, services, params, body: { image, ...campaign } }) {
    checkPeriod(campaign, 'starts_at', 'ends_at');
    return withPictures(
      services.storage,
      tx.organisation_id,
      { image },
      async (keys) =>
        (await queries.updateCampaign(tx, params.id, { ...campaign, image_key: keys.image })) ?? refuseNotFound(),
    );
  },
  deleteCampaign: async ({ tx, params }) => (await queries.deleteCampaign(tx, params.id)) ?? refuseNotFound(),
});

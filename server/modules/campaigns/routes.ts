import { checkPeriod } from '../../kernel/data/periods.ts';
import { routes } from '../../kernel/http/routes.ts';
import { deleteRow, getRow, insertRow, replaceRow, storingPictures } from '../pictures/rows.ts';
import { importedAt } from '../users/access.ts';
import { campaigns } from './contract.ts';
import { campaignFamily, listCampaigns } from './queries.ts';

export const campaignRoutes = routes(campaigns, {
  listCampaigns: ({ tx, query }) => listCampaigns(tx, query),
  getCampaign: ({ tx, params }) => getRow(tx, campaignFamily, params.id),
  createCampaign({ tx, actor, services, body }) {
    checkPeriod(body, 'starts_at', 'ends_at');
    return storingPictures({ tx, services }, campaignFamily, body, (campaign) =>
      insertRow(tx, campaignFamily, { ...campaign, created_at: importedAt(tx, actor, campaign.created_at) }),
    );
  },
  replaceCampaign({ tx, services, params, body }) {
    checkPeriod(body, 'starts_at', 'ends_at');
    return storingPictures({ tx, services }, campaignFamily, body, (campaign) =>
      replaceRow(tx, campaignFamily, params.id, campaign),
    );
  },
  deleteCampaign: ({ tx, params }) => deleteRow(tx, campaignFamily, params.id),
});

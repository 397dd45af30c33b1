import type { Module } from '../../kernel/module.ts';
import { moderatedFamily } from '../../kernel/people/scopes.ts';
import { hangsOnContent } from '../content/family.ts';
import { detachCampaigns } from './queries.ts';
import { campaignRoutes } from './routes.ts';

export const campaigns: Module = {
  name: 'campaigns',
  tables: ['campaigns', 'campaign_contents'],
  routes: [campaignRoutes],
  contributes: [moderatedFamily('campaigns'), hangsOnContent(detachCampaigns)],
};

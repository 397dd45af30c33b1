// Badges, goals, campaigns, livestreams and billboards of Northwind, and a webhook.
import type { Tx } from '../kernel/data/db.ts';
import type { Values } from '../kernel/data/rows.ts';
import type { Sealing } from '../kernel/people/sealing.ts';
import { replaceAudience } from '../modules/audiences/queries.ts';
import { awardByRules, badgeFamily, insertBadgeUsers } from '../modules/badges/queries.ts';
import { billboardFamily } from '../modules/billboards/queries.ts';
import { campaignFamily, replaceCampaigns } from '../modules/campaigns/queries.ts';
import { goalFamily } from '../modules/goals/queries.ts';
import { livestreamFamily } from '../modules/livestreams/queries.ts';
import { insertRow, type RowFamily } from '../modules/pictures/rows.ts';
import { insertFailedDelivery } from '../modules/webhooks/log.ts';
import { insertWebhook } from '../modules/webhooks/queries.ts';
import { sealSecret } from '../modules/webhooks/secrets.ts';
import { newSigningSecret } from '../modules/webhooks/signing.ts';

const idOf = (json: string) => (JSON.parse(json) as { id: number }).id;

/** A suspended subscription, so that the demo calls nobody, and a delivery that failed. */
export async function fillWebhooks(tx: Tx, sealing: Sealing, created_by: number) {
  const seal = (secret: string) => sealSecret(sealing, tx.organisation_id, secret);
  const row = {
    url: 'https://hooks.northwind.example/intranet',
    authentication_type: 'none' as const,
    login_url: null,
    client_id: null,
    client_secret_sealed: null,
    form_params_sealed: null,
    form_param_names: [],
    custom_headers_sealed: seal(JSON.stringify({ 'X-Team': 'search' })),
    custom_header_names: ['X-Team'],
    events: ['page.created', 'page.updated', 'page.deleted'],
    active: false,
    signing_secret_sealed: seal(newSigningSecret()),
  };
  const webhook = await insertWebhook(tx, {
    ...row,
    name: 'Intranet search',
    content_scope: 'public',
    maker: { created_by },
  });
  // What a developer asked for and no admin has decided.
  for (const name of ['Archive', 'Warehouse'])
    await insertWebhook(tx, { ...row, name, content_scope: 'all', maker: { status: 'pending', created_by } });
  await insertFailedDelivery(tx, idOf(webhook), 'page.created');
}

/** Badges, a goal, a campaign, livestreams and billboards. */
export async function fillRecognition(
  tx: Tx,
  { ada, dmitri, emi, stores, opening }: Record<'ada' | 'dmitri' | 'emi' | 'stores' | 'opening', number>,
) {
  const add = async (family: RowFamily, values: Values) => idOf(await insertRow(tx, family, values));
  const teamPlayer = { title: 'Team player', description: 'Helps others first.', value: 10, award_confetti: true };
  const helper = await add(badgeFamily, teamPlayer);
  await insertBadgeUsers(tx, helper, [dmitri, emi]);
  const fiveYears = { title: 'Five years', description: 'Five years with Northwind.', value: 50 };
  const rules = JSON.stringify([{ type: 'years_of_service', threshold: 5 }]);
  await add(badgeFamily, { ...fiveYears, rules_active: true, rules });
  await awardByRules(tx);
  await add(goalFamily, { title: 'Customers first', description: 'We ask what helps them.', colour: '#1d4ed8' });
  const stores4 = { title: 'New stores', description: 'We open in four cities.', colour: '#b45309' };
  const campaign = await add(campaignFamily, stores4);
  await replaceCampaigns(tx, 'update', opening, [campaign]);

  const inStores = { type: 'spaces' as const, spaces: [stores], teams: [] };
  const audience_type = 'spaces';
  const starts_at = tx.now();
  await add(livestreamFamily, { title: 'Town hall', host_id: ada, started_at: starts_at, is_recorded: true });
  const tour = await add(livestreamFamily, { title: 'A tour of the new store', host_id: dmitri, audience_type });
  await replaceAudience(tx, 'livestream', tour, inStores);
  await add(billboardFamily, { title: 'Four new stores', html_content: '<p>We are growing.</p>', starts_at });
  const board = await add(billboardFamily, { title: 'Stock-taking on Sunday', starts_at, audience_type });
  await replaceAudience(tx, 'billboard', board, inStores);
}

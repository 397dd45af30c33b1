// Badges, goals, campaigns, livestreams and billboards of Northwind, and a webhook.
import type { Tx } from '../kernel/data/db.ts';
import type { Sealing } from '../kernel/people/sealing.ts';
import { replaceAudience } from '../modules/audiences/queries.ts';
import { awardByRules, insertBadge, insertBadgeUsers } from '../modules/badges/queries.ts';
import { insertBillboard } from '../modules/billboards/queries.ts';
import { insertCampaign, replaceCampaigns } from '../modules/campaigns/queries.ts';
import { insertGoal } from '../modules/goals/queries.ts';
import { insertLivestream } from '../modules/livestreams/queries.ts';
import { insertFailedDelivery } from '../modules/webhooks/log.ts';
import { insertWebhook } from '../modules/webhooks/queries.ts';
import { sealSecret } from '../modules/webhooks/secrets.ts';
import { newSigningSecret } from '../modules/webhooks/signing.ts';

const idOf = (json: string) => (JSON.parse(json) as { id: number }).id;

/** A suspended subscription, so that the demo calls nobody, and a delivery that failed. */
export async function fillWebhooks(tx: Tx, sealing: Sealing, created_by: number) {
  const seal = (secret: string) => sealSecret(sealing, tx.organisation_id, secret);
  const webhook = await insertWebhook(tx, {
    name: 'Intranet search',
    url: 'https://hooks.northwind.example/intranet',
    authentication_type: 'none',
    login_url: null,
    client_id: null,
    client_secret_sealed: null,
    form_params_sealed: null,
    form_param_names: [],
    custom_headers_sealed: seal(JSON.stringify({ 'X-Team': 'search' })),
    custom_header_names: ['X-Team'],
    events: ['page.created', 'page.updated', 'page.deleted'],
    content_scope: 'public',
    active: false,
    signing_secret_sealed: seal(newSigningSecret()),
    created_by,
  });
  await insertFailedDelivery(tx, idOf(webhook), 'page.created');
}

/** Badges, a goal, a campaign, livestreams and billboards. */
export async function fillRecognition(
  tx: Tx,
  { ada, dmitri, emi, stores, opening }: Record<'ada' | 'dmitri' | 'emi' | 'stores' | 'opening', number>,
) {
  const noPictures = { image_key: null, award_image_key: null };
  const helper = idOf(
    await insertBadge(tx, {
      title: 'Team player',
      description: 'Helps others first.',
      value: 10,
      award_confetti: true,
      ...noPictures,
    }),
  );
  await insertBadgeUsers(tx, helper, [dmitri, emi]);
  await insertBadge(tx, {
    title: 'Five years',
    description: 'Five years with Northwind.',
    value: 50,
    rules_active: true,
    rules: [{ type: 'years_of_service', threshold: 5 }],
    ...noPictures,
  });
  await awardByRules(tx);
  await insertGoal(tx, {
    title: 'Customers first',
    description: 'We ask what helps them.',
    colour: '#1d4ed8',
    image_key: null,
  });
  const campaign = idOf(
    await insertCampaign(tx, {
      title: 'New stores',
      description: 'We open in four cities.',
      colour: '#b45309',
      image_key: null,
    }),
  );
  await replaceCampaigns(tx, 'update', opening, [campaign]);
  await insertLivestream(tx, { title: 'Town hall', host_id: ada, started_at: tx.now(), is_recorded: true });
  const inStores = { type: 'spaces' as const, spaces: [stores], teams: [] };
  const tour = await insertLivestream(tx, {
    title: 'A tour of the new store',
    host_id: dmitri,
    audience_type: 'spaces',
  });
  await replaceAudience(tx, 'livestream', tour, inStores);
  await insertBillboard(tx, { title: 'Four new stores', html_content: '<p>We are growing.</p>', image_key: null });
  const board = await insertBillboard(tx, {
    title: 'Stock-taking on Sunday',
    html_content: '',
    audience_type: 'spaces',
    image_key: null,
  });
  await replaceAudience(tx, 'billboard', board, inStores);
}

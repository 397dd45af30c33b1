// Northwind Retail, the one cast of demo, documentation, tests and screenshots.
import { createHash } from 'node:crypto';
import type { Tx } from './kernel/data/db.ts';
import type { Services } from './kernel/http/routes.ts';
import type { Sealing } from './kernel/people/sealing.ts';
import { sha256 as hashOf } from './kernel/people/secrets.ts';
import { htmlOf } from './kernel/text/html.ts';
import { slugOf } from './kernel/text/slug.ts';
import { newToken } from './modules/apps/access.ts';
import { insertApp, insertPersonalKey, upsertJwtSettings } from './modules/apps/queries.ts';
import { insertArticle, type NewArticleRow } from './modules/articles/queries.ts';
import { archiveArticle, publishDue } from './modules/articles/states.ts';
import { insertAssets } from './modules/assets/queries.ts';
import { type AudienceTargets, everybody } from './modules/audiences/access.ts';
import { replaceAudience } from './modules/audiences/queries.ts';
import { awardByRules, insertBadge, insertBadgeUsers } from './modules/badges/queries.ts';
import { insertBillboard } from './modules/billboards/queries.ts';
import { insertCampaign, replaceCampaigns } from './modules/campaigns/queries.ts';
import { insertComment } from './modules/comments/queries.ts';
import type { ContentNoun } from './modules/content/contract.ts';
import { insertDocument, insertFolder } from './modules/documents/queries.ts';
import { insertEvent } from './modules/events/queries.ts';
import { replaceAnswer } from './modules/events/rsvps.ts';
import { insertGoal } from './modules/goals/queries.ts';
import { insertLike } from './modules/likes/queries.ts';
import { insertLivestream } from './modules/livestreams/queries.ts';
import { createKey } from './modules/organisations/setup.ts';
import { insertPage, type NewPageRow } from './modules/pages/queries.ts';
import { insertPost } from './modules/posts/queries.ts';
import {
  announceCreated,
  insertSpace,
  insertSpaceCategory,
  replaceCategoryLinks,
  type SpaceFields,
  upsertMembers,
} from './modules/spaces/queries.ts';
import { ensureTeamType, insertTeam, insertTeamMembers } from './modules/teams/queries.ts';
import { insertUser } from './modules/users/queries.ts';
import { insertFailedDelivery } from './modules/webhooks/log.ts';
import { insertWebhook } from './modules/webhooks/queries.ts';
import { sealSecret } from './modules/webhooks/secrets.ts';
import { newSigningSecret } from './modules/webhooks/signing.ts';
import { fillChat } from './world-chat.ts';

export const demo = { name: 'Northwind Retail', admin: { email: 'ada.okafor@northwind.example' } };

const idOf = (json: string) => (JSON.parse(json) as { id: number }).id;

/** People, teams, spaces and pages. On an empty database the ids are 1, 2, 3 … in this order: examples rely on it. */
export async function fillDemo(tx: Tx, { storage, sealing }: Pick<Services, 'storage' | 'sealing'>) {
  const person = async (
    first_name: string,
    last_name: string,
    external_id: string,
    job_title: string,
    more: object = {},
  ) =>
    idOf(
      await insertUser(tx, {
        email: `${first_name}.${last_name}@northwind.example`.toLowerCase(),
        first_name,
        last_name,
        external_id,
        job_title,
        timezone: 'Europe/Berlin',
        locale: 'en',
        ...more,
      }),
    );
  const ada = await person('Ada', 'Okafor', 'E-1001', 'Chief executive', { hire_date: '2015-03-01' });
  const ben = await person('Ben', 'Lindqvist', 'E-1002', 'Head of sales', {
    hire_date: '2018-09-15',
    manager_id: ada,
    direct_dial: '+49 30 5550102',
  });
  const carla = await person('Carla', 'Mendes', 'E-1003', 'IT administrator', { manager_id: ada, locale: 'pt' });
  const dmitri = await person('Dmitri', 'Petrov', 'E-1004', 'Store lead', {
    manager_id: ben,
    is_frontline: true,
    mobile_phone: '+49 151 5550104',
  });
  const emi = await person('Emi', 'Tanaka', 'E-1005', 'Sales assistant', {
    manager_id: dmitri,
    is_frontline: true,
    display_name: 'Emi T.',
  });

  const department = await ensureTeamType(tx, 'Department');
  const location = await ensureTeamType(tx, 'Location');
  await ensureTeamType(tx, 'Project');
  const team = async (name: string, external_id: string, team_type_id: number, members: number[]) => {
    const id = idOf(await insertTeam(tx, { name, external_id, team_type_id }));
    await insertTeamMembers(tx, id, members);
    return id;
  };
  const sales = await team('Sales', 'T-SALES', department, [ben, dmitri, emi]);
  await team('Berlin', 'T-BERLIN', location, [ada, ben, dmitri]);
  await team('IT', 'T-IT', department, [carla]);

  const category = idOf(await insertSpaceCategory(tx, 'General', 'For everybody.'));
  const space = async (fields: SpaceFields, owner: number, members: number[]) => {
    const id = await insertSpace(tx, fields);
    await upsertMembers(tx, id, [owner], 'owner');
    await upsertMembers(tx, id, members, undefined);
    await announceCreated(tx, id);
    return id;
  };
  const news = await space(
    {
      name: 'Company news',
      external_id: 'S-NEWS',
      description: 'What everybody should know.',
      is_corporate: true,
      is_read_only: true,
    },
    ada,
    [ben, carla, dmitri, emi],
  );
  await replaceCategoryLinks(tx, news, [category]);
  const stores = await space({ name: 'Store teams', external_id: 'S-STORES' }, ben, [dmitri, emi]);
  const berlin = await space({ name: 'Sales Berlin', external_id: 'S-SALES-BERLIN', visibility: 'private' }, ben, [
    dmitri,
  ]);
  await space({ name: 'Board', external_id: 'S-BOARD', visibility: 'hidden' }, ada, []);

  const page = async (title: string, external_id: number, html_content: string, more: Partial<NewPageRow> = {}) =>
    idOf(
      await insertPage(tx, {
        title,
        external_id,
        html_content,
        slug: slugOf(title),
        creator_id: ada,
        audience: everybody,
        ...more,
      }),
    );
  const welcome = await page('Welcome to Northwind', 100, '<h2>Hello</h2><p>Where to find what.</p>', {
    space_id: news,
  });
  const handbook = await page('Handbook', 101, '<p>How we work.</p>');
  await page('Holidays', 102, '<p>30 days a year.</p>');
  await page('Working hours', 103, '<table><tr><td>Stores</td><td>9 to 20</td></tr></table>', { parent_id: handbook });
  await page('Price list (draft)', 104, '<p>Not yet agreed.</p>', { is_draft: true, creator_id: ben });

  const spaceAudience = (id: number) => ({ type: 'spaces' as const, spaces: [id], teams: [] });
  const post = { approval: 'approved' as const, audience: everybody };
  const text = (words: string) => ({ text: words, html: htmlOf(words) });
  const opening = await insertPost(tx, 'update', {
    ...post,
    ...text('The Berlin store opens on Monday.'),
    external_id: 'U-1',
    creator_id: ben,
    requires_acknowledgement: true,
  });
  await insertPost(tx, 'update', {
    ...post,
    ...text('New price tags have arrived.'),
    external_id: 'U-2',
    creator_id: dmitri,
    audience: spaceAudience(stores),
    approval: 'pending',
  });
  await insertPost(tx, 'update', {
    ...post,
    ...text('Targets for December are in the handbook.'),
    external_id: 'U-3',
    creator_id: ben,
    audience: spaceAudience(berlin),
  });
  const thanks = { users: [dmitri], teams: [sales] };
  const nightShift = await insertPost(tx, 'kudos', {
    ...post,
    ...text('Thank you for the night shift!'),
    external_id: 'K-1',
    requires_acknowledgement: true,
    creator_id: ben,
    recipients: thanks,
  });
  await insertPost(tx, 'kudos', {
    ...post,
    ...text('Great window display.'),
    external_id: 'K-2',
    creator_id: emi,
    recipients: { users: [dmitri], teams: [] },
    audience: spaceAudience(stores),
    approval: 'pending',
  });

  const article = (title: string, external_id: string, html_content: string, more: Partial<NewArticleRow> = {}) =>
    insertArticle(tx, {
      title,
      external_id,
      html_content,
      slug: slugOf(title),
      creator_id: ada,
      audience: everybody,
      schedule: { is_draft: false, publish_at: null, archive_at: null },
      ...more,
    });
  const berlinOpens = await article('Berlin opens', 'A-1', '<p>Our newest store opens on Monday.</p>', {
    subtitle: 'Monday, nine o’clock',
    requires_acknowledgement: true,
  });
  await article('Plans for spring (draft)', 'A-2', '<p>Not yet agreed.</p>', {
    creator_id: ben,
    audience: spaceAudience(news),
    schedule: { is_draft: true, publish_at: null, archive_at: null },
  });
  const past = await article('Summer party', 'A-3', '<p>Thank you for coming.</p>');
  await publishDue(tx);
  await archiveArticle(tx, past);

  const remark = async (
    kind: ContentNoun,
    content_id: number,
    words: string,
    external_id: string,
    creator_id: number,
  ) =>
    insertComment(tx, {
      kind,
      content_id,
      parent_id: null,
      external_id,
      text: words,
      creator_id,
      created_at: undefined,
    });
  await remark('page', welcome, 'Where is the staff entrance?', 'C-1', emi);
  await remark('update', opening, 'Looking forward to it!', 'C-2', dmitri);
  await remark('kudos', nightShift, 'Well deserved.', 'C-3', emi);
  await remark('article', berlinOpens, 'Shall we bring cake?', 'C-4', ben);
  await insertLike(tx, 'update', opening, emi, undefined);

  const everywhere = { parent_id: null, space_id: null };
  const prices = idOf(await insertFolder(tx, { name: 'Prices', ...everywhere }, ben));
  await insertFolder(tx, { name: 'Old prices', ...everywhere }, ben);
  const list = {
    label: 'Price list',
    url: 'https://www.northwind.example/prices.pdf',
    location_id: prices,
    space_id: null,
  };
  await insertDocument(tx, list, ben, undefined);

  const bytes = await painted();
  const storage_key = await storage.put(tx.organisation_id, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await insertAssets(
    tx,
    [{ ...banner, sha256, byte_size: bytes.length, storage_key, thumbnail_key: null }],
    ada,
    'api',
  );
  await fillWebhooks(tx, sealing, ada);
  await fillRecognition(tx, { ada, dmitri, emi, stores, opening });
  await fillEvents(tx, { ada, ben, dmitri, emi }, spaceAudience(stores));

  const search = idOf(
    await insertApp(tx, { name: 'Search index', description: 'Reads published content.', created_by: ada }),
  );
  await upsertJwtSettings(tx, search, {
    jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'demo', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] },
  });
  await createKey(tx, search, 'Nightly', ['pages.*.read', 'spaces.public.read']);
  await insertPersonalKey(tx, ada, { name: 'My scripts', scopes: ['pages.*.read'], token_sha256: hashOf(newToken()) });
  await fillChat(tx, { ada, ben, dmitri, emi, sales_team: sales });
}

/** A town hall in two weeks and a workshop of the store teams the day after. */
async function fillEvents(
  tx: Tx,
  { ada, ben, dmitri, emi }: Record<'ada' | 'ben' | 'dmitri' | 'emi', number>,
  stores: AudienceTargets,
) {
  const [day, hour] = [86_400_000, 3_600_000];
  const from = Math.ceil(Date.parse(tx.now()) / day + 14) * day + 9 * hour;
  const between = (start: number, end: number) => ({
    starts_at: new Date(start).toISOString(),
    ends_at: new Date(end).toISOString(),
  });
  const townHall = await insertEvent(tx, {
    ...between(from, from + 2 * hour),
    title: 'Town hall',
    external_id: 'EV-1',
    description: 'The year so far, and your questions.',
    html_content: htmlOf('The year so far, and your questions.'),
    timezone: 'Europe/Berlin',
    location: 'Canteen, Berlin',
    capacity: 120,
    creator_id: ada,
    audience: everybody,
  });
  await replaceAnswer(tx, townHall, ben, 'going');
  await replaceAnswer(tx, townHall, dmitri, 'maybe');
  const question = {
    parent_id: null,
    external_id: 'C-5',
    text: 'Can we join from the store?',
    creator_id: emi,
    created_at: undefined,
  };
  await insertComment(tx, { kind: 'event', content_id: townHall, ...question });
  await insertEvent(tx, {
    ...between(from + day, from + day + 4 * hour),
    title: 'Window display workshop',
    external_id: 'EV-2',
    timezone: 'Europe/Berlin',
    creator_id: ben,
    audience: stores,
  });
}

const banner = { field: '', file_name: 'banner.png', content_type: 'image/png', width: 1200, height: 400 };
const painted = async () => {
  const { default: sharp } = await import('sharp');
  return sharp({ create: { width: banner.width, height: banner.height, channels: 3, background: '#0f766e' } })
    .png()
    .toBuffer();
};
/** A suspended subscription, so that the demo calls nobody, and a delivery that failed. */
async function fillWebhooks(tx: Tx, sealing: Sealing, created_by: number) {
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
async function fillRecognition(
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

// Northwind Retail, the one cast of demo, documentation, tests and screenshots.
import { createHash } from 'node:crypto';
import type { Tx } from '../kernel/data/db.ts';
import type { Services } from '../kernel/http/routes.ts';
import { sha256 as hashOf } from '../kernel/people/secrets.ts';
import { newToken } from '../modules/apps/access.ts';
import { upsertJwtSettings } from '../modules/apps/jwt-settings.ts';
import { insertApp, insertKey } from '../modules/apps/queries.ts';
import { insertAssets } from '../modules/assets/queries.ts';
import { insertFolder } from '../modules/documents/folders.ts';
import { insertDocument } from '../modules/documents/queries.ts';
import { findClient, insertClient, insertGrant } from '../modules/oauth/queries.ts';
import { insertSpaceCategory, replaceCategoryLinks } from '../modules/spaces/categories.ts';
import { upsertMembers } from '../modules/spaces/members.ts';
import { announceCreated, insertSpace, type SpaceFields } from '../modules/spaces/queries.ts';
import { insertTeamMembers } from '../modules/teams/members.ts';
import { ensureTeamType, insertTeam } from '../modules/teams/queries.ts';
import { insertUser } from '../modules/users/queries.ts';
import { createKey } from '../setup.ts';
import { fillChat } from './chat.ts';
import { fillContent, fillEvents } from './content.ts';
import { fillRecognition, fillWebhooks } from './recognition.ts';

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

  const cast = { ada, ben, dmitri, emi, sales, news, stores, berlin };
  const opening = await fillContent(tx, cast);

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
  await fillRecognition(tx, { ...cast, opening });
  await fillEvents(tx, cast);

  const search = idOf(
    await insertApp(tx, { name: 'Search index', description: 'Reads published content.', created_by: ada }),
  );
  await upsertJwtSettings(tx, search, {
    jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'demo', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] },
  });
  await createKey(tx, search, 'Nightly', ['pages.*.read', 'spaces.public.read']);
  const own = { name: 'My scripts', scopes: ['pages.*.read'], token_sha256: hashOf(newToken()) };
  await insertKey(tx, { ...own, user_id: ada, created_by: ada });
  for (const name of ['Directory import', 'Chat archive']) {
    const asked = { name, scopes: ['users.*.*', 'chats.messages.read'], token_sha256: hashOf(newToken()) };
    await insertKey(tx, { ...asked, app_id: search, status: 'pending', created_by: ada });
  }
  const program = { client_id: 'demo-assistant', name: 'Assistant', website: 'https://assistant.example/' };
  await insertClient(tx, { ...program, redirect_uris: ['https://assistant.example/callback'] });
  const client = await findClient(tx, program.client_id);
  if (client) {
    const granted = { client_id: client.id, user_id: ada, scopes: ['read'] as const, code_challenge: '' };
    const code_sha256 = hashOf(newToken());
    await insertGrant(tx, { ...granted, redirect_uri: 'https://assistant.example/callback', code_sha256 });
  }
  await fillChat(tx, { ada, ben, dmitri, emi, sales_team: sales });
}

const banner = { field: '', file_name: 'banner.png', content_type: 'image/png', width: 1200, height: 400 };
const painted = async () => {
  const { default: sharp } = await import('sharp');
  return sharp({ create: { width: banner.width, height: banner.height, channels: 3, background: '#0f766e' } })
    .png()
    .toBuffer();
};

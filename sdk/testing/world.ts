// What the checks need to know of a real Atrium behind the proxy.
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { type TestAtrium, world } from '../../server/testing/atrium.ts';
import { PASSWORD } from '../../server/testing/world.ts';
import { startProxy } from './proxy.ts';

const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#36c' } });

export async function checkedWorld(atrium: TestAtrium, upload_bytes: number) {
  const proxy = await startProxy(() => atrium.url);
  const { organisation_id, api_key } = world.northwind;
  // Addresses of files and the origin of pages are those of the proxy.
  await atrium.rows('update organisations set domain = $1, web_url = $2 where id = $3', [
    ...[proxy.host, proxy.url, organisation_id],
  ]);
  const ben = (await atrium.call('GET', '/v1/users/by-email/ben.lindqvist@northwind.example')).body.data;
  const [team] = await atrium.rows<{ external_id: string }>(
    'select external_id from teams where organisation_id = 1 and external_id is not null limit 1',
  );
  const members = await atrium.rows<{ external_id: string }>(
    'select external_id from users where organisation_id = 1 and is_active and external_id is not null limit 2',
  );
  const given = {
    ...{ url: proxy.url, organisation_id, api_key, upload_bytes, run: randomUUID(), ben_id: ben.id as number },
    ada: { email: 'ada.okafor@northwind.example', password: PASSWORD },
    png: (await picture.png().toBuffer()).toString('base64'),
    team: team?.external_id,
    members: members.map(({ external_id }) => external_id),
  };
  return { given, proxy };
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../kernel/data/sql.ts';
import { startAtrium, world } from '../../testing/atrium.ts';
import { campaignOf, listCampaignsOf, replaceCampaigns } from './queries.ts';

const atrium = await startAtrium();
const tx = atrium.services.db.inOrganisation(world.northwind.organisation_id);
const create = (json: object) => atrium.call('POST', '/v1/campaigns', { json: { title: 'Campaign', ...json } });
const attached = async (content_id: number) => {
  const { rows, total } = await listCampaignsOf(tx, 'kudos', content_id, { skip: 0, take: 10 });
  return [rows.map((row) => (JSON.parse(row) as { id: number }).id), total];
};

test('a campaign goes on from starts_at until ends_at', async () => {
  const at = (days: number) => new Date(Date.parse(atrium.clock.now()) + days * 86_400_000).toISOString();
  const ids = new Map<string, number>();
  for (const [name, starts_at, ends_at] of [
    ['over', at(-2), at(-1)],
    ['now', at(-1), at(1)],
    ['coming', at(1), null],
    ['open', null, null],
  ] as const)
    ids.set(name, (await create({ title: name, starts_at, ends_at })).body.data.id);
  const names = async (query: string) =>
    (await atrium.call('GET', `/v1/campaigns${query}`)).body.data.map(({ title }: { title: string }) => title);
  assert.deepEqual(await names('?is_active=1'), ['New stores', 'now', 'open']);
  assert.deepEqual(await names('?is_active=false'), ['over', 'coming']);
  assert.equal((await atrium.call('GET', `/v1/campaigns/${ids.get('now')}`)).body.data.is_active, true);
  atrium.clock.advance(1.5 * 86_400_000);
  assert.deepEqual(await names('?is_active=1'), ['New stores', 'coming', 'open']);
});

test('one that ends before it starts is a 400 with the path, and nothing is written', async () => {
  const before = await atrium.rows('select count(*) from campaigns');
  const body = { starts_at: '2026-05-02T00:00:00Z', ends_at: '2026-05-01T23:59:59Z' };
  const reply = await create(body);
  assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'ends_at']);
  assert.equal((await atrium.call('PUT', '/v1/campaigns/1', { json: { title: 'X', ...body } })).status, 400);
  assert.deepEqual(await atrium.rows('select count(*) from campaigns'), before);
});

test('content belongs to exactly the campaigns it was given, and the one attached last is shown with it', async () => {
  const [a, b, c] = await Promise.all([create({}), create({}), create({})]).then((replies) =>
    replies.map(({ body }) => body.data.id),
  );
  const shown = async () =>
    (
      await tx.row<{ json: string | null }>(
        sql`
          select ${campaignOf('kudos', tx.now())} as json from (select 1::bigint as id) t where $1::bigint is not null`,
      )
    )?.json;
  assert.equal(await shown(), null);
  assert.equal(await replaceCampaigns(tx, 'kudos', 1, [b, a]), true);
  assert.deepEqual(await attached(1), [[a, b], 2]);
  assert.equal(JSON.parse((await shown()) ?? '').id, a);
  assert.equal(await replaceCampaigns(tx, 'kudos', 1, [b, a]), false, 'the same again changes nothing');
  assert.equal(await replaceCampaigns(tx, 'kudos', 1, [a, c]), true);
  assert.deepEqual(await attached(1), [[c, a], 2]);
  assert.deepEqual(await attached(2), [[], 0]);
  await assert.rejects(
    tx.transaction((inside) => replaceCampaigns(inside, 'kudos', 1, [a, 999, b])),
    { code: 'campaign_not_found', options: { path: 'campaign_ids[1]' } },
  );
  assert.deepEqual(await attached(1), [[c, a], 2], 'nothing half-written');
  await atrium.call('DELETE', `/v1/campaigns/${c}`);
  assert.deepEqual(await attached(1), [[a], 1]);
});

// Deliveries, as ratios within one run:
// `node server/bin/launch.mjs bench/deliveries.ts [throughput latency isolation backlog]`
//   throughput  outbox rows to logged 2xx, of raw undici POSTs of the same requests to the same server
//   latency     from commit to the first attempt at 100 events a second for 20 subscriptions
//   isolation   p99 of the healthy half when the other half of 40 endpoints hangs, of its p99 alone
//   backlog     memory and claims with a million pending deliveries, of those with ten thousand
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Pool } from 'undici';
import { type Atrium, buildApp } from '../server/app.ts';
import { readConfig } from '../server/kernel/config.ts';
import { migrate } from '../server/kernel/data/migrate.ts';
import { trusted } from '../server/kernel/data/sql.ts';
import { claimDeliveries } from '../server/kernel/delivery/claim.ts';
import { webhookTables } from '../server/modules/webhooks/delivery.ts';
import { USER_AGENT } from '../server/modules/webhooks/messages.ts';
import { insertWebhook } from '../server/modules/webhooks/queries.ts';
import { sealSecret } from '../server/modules/webhooks/secrets.ts';
import { newSigningSecret } from '../server/modules/webhooks/signing.ts';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { createOrganisation } from '../server/setup.ts';

const words = process.argv.slice(2);
const chosen = (name: string) => words.length === 0 || words.includes(name);
const scale = Number(process.env.ATRIUM_BENCH_SCALE ?? 1);
const print = (text: string) => process.stdout.write(`${text}\n`);
const median = (values: number[]) => quantile(values, 0.5);
const quantile = (values: number[], q: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0;

const page = { id: 1, title: 'News', html_content: `<p>${'News of the day. '.repeat(110)}</p>`, is_draft: 0 };
const emit = ({ services }: Atrium, organisation_id: number, count: number) =>
  services.db.installation.rows(
    `insert into outbox (organisation_id, action, payload, is_public, created_at)
     select $1, 'page.created', json_build_object('page', $2::json), true, $3 from generate_series(1, $4::int)`,
    [organisation_id, JSON.stringify(page), services.clock.now(), count],
  );

/** The log of an organisation: the attempts that have rows, and those that are in their delivery's. */
const attempts = `
  select delivery_id, sent_at, latency_ms, status from webhook_attempts
  where organisation_id = $1
  union all
  select id, last_attempt_at, latency_ms, last_status from webhook_deliveries
  where organisation_id = $1 and latency_ms is not null`;
const folder = mkdtempSync(join(tmpdir(), 'atrium-deliveries-'));
const postgres = await startEmbedded({ data_dir: folder, port: 5899 });
const sink = spawn(process.execPath, [join(import.meta.dirname, 'sink.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = Number(await new Promise<Buffer>((resolve) => sink.stdout.once('data', resolve)));
const origin = `http://127.0.0.1:${port}`;
let organisations = 0;

try {
  const config = readConfig({ ATRIUM_ENV: 'development', ATRIUM_DATA: folder });
  const atrium = await buildApp({ config, database_url: postgres.url, logger: pino({ level: 'silent' }) });
  await migrate(atrium.services.db);
  if (chosen('throughput')) await throughput(atrium);
  if (chosen('latency')) await latency(atrium);
  if (chosen('isolation')) await isolation(atrium);
  if (chosen('backlog')) await backlog(atrium);
  await atrium.close();
} finally {
  sink.kill();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A new organisation with a subscription for each path. */
async function subscribed({ services }: Atrium, paths: readonly string[]): Promise<number> {
  const { organisation_id } = await createOrganisation(services.db, {
    name: 'Bench',
    domain: `bench-${organisations++}.localhost`,
  });
  const tx = services.db.inOrganisation(organisation_id);
  const seal = (text: string) => sealSecret(services.sealing, organisation_id, text);
  for (const [n, path] of paths.entries())
    await insertWebhook(tx, {
      name: `Sink ${n}`,
      url: origin + path,
      authentication_type: 'none',
      login_url: null,
      client_id: null,
      client_secret_sealed: null,
      form_params_sealed: null,
      form_param_names: [],
      custom_headers_sealed: seal('{}'),
      custom_header_names: [],
      events: ['page.created'],
      content_scope: 'all',
      active: true,
      signing_secret_sealed: seal(newSigningSecret()),
    });
  return organisation_id;
}

async function throughput(atrium: Atrium) {
  const count = Math.round(20_000 * scale);
  const body = JSON.stringify({ action: 'page.created', page, meta: { id: '0'.repeat(36), attempt: 1, timestamp: 1 } });
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': '0'.repeat(36),
    'webhook-timestamp': '1',
    'webhook-signature': `v1,${'A'.repeat(43)}=`,
  };
  const raw = async () => {
    const pool = new Pool(origin, { connections: 128 });
    const began = performance.now();
    let left = count;
    const one = async () => {
      while (left-- > 0) await (await pool.request({ path: '/raw', method: 'POST', headers, body })).body.dump();
    };
    await Promise.all(Array.from({ length: 128 }, one));
    const rate = count / ((performance.now() - began) / 1000);
    await pool.close();
    return rate;
  };
  const delivered = async () => {
    const organisation_id = await subscribed(atrium, ['/one', '/two', '/three', '/four']);
    await emit(atrium, organisation_id, count / 4);
    const began = performance.now();
    await atrium.workers.drain();
    const seconds = (performance.now() - began) / 1000;
    const [logged] = await atrium.services.db.installation.rows<{ count: number }>(
      `select count(*) from webhook_deliveries d
       where organisation_id = $1 and state = 'delivered' and last_status = 204
         and (latency_ms is not null or exists (
           select from webhook_attempts a where a.organisation_id = $1 and a.delivery_id = d.id and a.status = 204))`,
      [organisation_id],
    );
    if (logged?.count !== count) throw new Error(`${logged?.count} of ${count} are logged as delivered.`);
    return count / seconds;
  };
  await raw();
  await delivered();
  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) {
    const [ours, bare] = [await delivered(), await raw()];
    ratios.push(ours / bare);
    print(
      `  round ${round + 1}: ${Math.round(ours)} deliveries/s, ${Math.round(bare)} raw POSTs/s, ` +
        `ratio ${(ours / bare).toFixed(2)}`,
    );
  }
  print(`throughput: ${median(ratios).toFixed(2)} of raw undici POSTs (median of five)`);
}

async function latency(atrium: Atrium) {
  const paths = Array.from({ length: 20 }, (_, n) => `/${n}`);
  const organisation_id = await subscribed(atrium, paths);
  atrium.workers.start();
  const seconds = 15 * scale;
  const began = performance.now();
  for (let n = 0; n < seconds * 100; n++) {
    const ahead_ms = n * 10 - (performance.now() - began);
    if (ahead_ms > 0) await sleep(ahead_ms);
    await emit(atrium, organisation_id, 1);
    atrium.workers.touched(organisation_id);
  }
  await settled(atrium, organisation_id);
  const rows = await atrium.services.db.installation.rows<{ ms: number }>(
    `select extract(epoch from a.sent_at - d.created_at)::float8 * 1000 as ms
     from (${attempts}) a
     join webhook_deliveries d on d.id = a.delivery_id and d.organisation_id = $1`,
    [organisation_id],
  );
  const all = rows.map(({ ms }) => ms);
  print(
    `latency: ${all.length} deliveries, 100 events/s × 20 subscriptions: first attempt p50 ` +
      `${median(all).toFixed(0)} ms, p99 ${quantile(all, 0.99).toFixed(0)} ms after the write`,
  );
  await atrium.workers.stop();
}

/** Until nothing of the healthy paths is pending. */
async function settled({ services }: Atrium, organisation_id: number) {
  for (;;) {
    const [left] = await services.db.installation.rows<{ left: number }>(
      `select (select count(*) from outbox where organisation_id = $1 and relayed_at is null)
         + (select count(*) from webhook_batches where organisation_id = $1) + count(*) as left
       from webhook_deliveries d
       join webhooks w on w.organisation_id = d.organisation_id and w.id = d.webhook_id
       where d.organisation_id = $1 and d.state = 'pending' and w.url not like '%/hang'`,
      [organisation_id],
    );
    if (left?.left === 0) return;
    await sleep(50);
  }
}

async function isolation(atrium: Atrium) {
  atrium.workers.start();
  const healthyP99 = async (hanging: boolean) => {
    const paths = Array.from({ length: 40 }, (_, n) => (n % 2 ? `/${n}` : '/hang'));
    const organisation_id = await subscribed(atrium, hanging ? paths : paths.filter((path) => path !== '/hang'));
    const began = performance.now();
    for (let n = 0; n < 30 * 10 * scale; n++) {
      const ahead_ms = n * 33 - (performance.now() - began);
      if (ahead_ms > 0) await sleep(ahead_ms);
      await emit(atrium, organisation_id, 1);
      atrium.workers.touched(organisation_id);
    }
    await settled(atrium, organisation_id);
    const rows = await atrium.services.db.installation.rows<{ ms: number }>(
      `select extract(epoch from a.sent_at - d.created_at)::float8 * 1000 + a.latency_ms as ms
       from (${attempts}) a
       join webhook_deliveries d on d.organisation_id = $1 and d.id = a.delivery_id
       where a.status = 204`,
      [organisation_id],
    );
    await atrium.services.db.installation.rows('update webhooks set active = false where organisation_id = $1', [
      organisation_id,
    ]);
    return {
      p99: quantile(
        rows.map(({ ms }) => ms),
        0.99,
      ),
      count: rows.length,
    };
  };
  await healthyP99(false);
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const [alone, beside] = [await healthyP99(false), await healthyP99(true)];
    ratios.push(beside.p99 / alone.p99);
    print(
      `  round ${round + 1}: healthy p99 ${alone.p99.toFixed(0)} ms alone (${alone.count}), ` +
        `${beside.p99.toFixed(0)} ms beside 20 that hang (${beside.count})`,
    );
  }
  print(`isolation: ${median(ratios).toFixed(2)} of the healthy p99 alone (median of three)`);
  await atrium.workers.stop();
}

async function backlog(atrium: Atrium) {
  const { db } = atrium.services;
  const measured = async (count: number) => {
    const organisation_id = await subscribed(
      atrium,
      Array.from({ length: 10 }, (_, n) => `/${n}`),
    );
    await emit(atrium, organisation_id, 1);
    await db.installation.rows(
      `insert into webhook_deliveries (
         organisation_id, webhook_id, event_id, action, outbox_id, next_attempt_at, created_at)
       select $1, w.id, o.event_id, o.action, o.id, o.created_at, o.created_at
       from webhooks w, outbox o, generate_series(1, $2::int / 10)
       where w.organisation_id = $1 and o.organisation_id = $1`,
      [organisation_id, count],
    );
    await db.installation.rows('vacuum analyze webhook_deliveries');
    const tx = db.inOrganisation(organisation_id);
    const claims: number[] = [];
    for (let n = 0; n < 60; n++) {
      const began = performance.now();
      await claimDeliveries(tx, webhookTables, trusted('o.active'), { free: new Map(), otherwise: 10, most: 100 });
      claims.push(performance.now() - began);
    }
    return { organisation_id, claim_ms: median(claims.slice(10)) };
  };
  const rss = () => process.memoryUsage().rss / 1024 ** 2;
  /** The most that is resident while a backlog is worked on. */
  const working = async ({ organisation_id }: { organisation_id: number }) => {
    await atrium.workers.stop();
    atrium.workers.start();
    let most = 0;
    for (let n = 0; n < 20; n++) {
      atrium.workers.touched(organisation_id);
      await sleep(500);
      most = Math.max(most, rss());
    }
    await atrium.workers.stop();
    return most;
  };
  const small = await measured(10_000);
  await working(small);
  const idle = rss();
  const large = await measured(Math.round(1_000_000 * scale));
  print(
    `backlog: a claim of 100 takes ${small.claim_ms.toFixed(2)} ms of ten thousand and ` +
      `${large.claim_ms.toFixed(2)} ms of a million pending, ratio ${(large.claim_ms / small.claim_ms).toFixed(2)}`,
  );
  const most = await working(large);
  print(
    `backlog: resident ${idle.toFixed(0)} MiB idle after ten thousand, ${most.toFixed(0)} MiB at most while ` +
      `working on a million, ratio ${(most / idle).toFixed(2)}`,
  );
}

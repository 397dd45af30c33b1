import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { pino } from 'pino';
import { createEgress, type Egress, type EgressFailure } from '../kernel/delivery/egress.ts';
import { createDeliveries } from '../kernel/delivery/engine.ts';
import { storageFor } from '../kernel/files/s3-storage.ts';
import { createBaseUrl } from '../kernel/http/base-url.ts';
import { joinInstallation } from '../kernel/installation.ts';
import { createInFlight } from '../kernel/people/in-flight.ts';
import { createSealing } from '../kernel/people/sealing.ts';
import { webhookDestination } from '../modules/webhooks/delivery.ts';
import { findDeliveries, insertSample, redeliver } from '../modules/webhooks/log.ts';
import {
  deleteWebhook,
  findListeners,
  findWebhook,
  insertWebhook,
  updateListener,
} from '../modules/webhooks/queries.ts';
import { sampleOf } from '../modules/webhooks/samples.ts';
import { sealSecret } from '../modules/webhooks/secrets.ts';
import { newSigningSecret } from '../modules/webhooks/signing.ts';
import { events, relays, visibility } from '../modules.ts';
import type { Call, Outcome } from './command.ts';
import { organisationOf, readId, readList, UsageError } from './command.ts';

const LOOK_MS = 250;
const RENEW_MS = 15_000;
const LISTENED_MS = 60_000;

const actions = events.map(({ action }) => action);
const idOf = (json: string) => (JSON.parse(json) as { id: number }).id;
type Say = (object: object, text: string) => void;

/**
 * A temporary subscription, whose deliveries this process makes. The server's own guard would let nobody reach this
 * machine.
 */
export async function listen(call: Call): Promise<Outcome> {
  const given = call.text('forward') ?? '';
  const forward = given.includes('://') ? given : `http://${given}`;
  const chosen = chosenEvents(call);
  // Whoever may run this command may send to wherever this machine reaches, with http too.
  const egress = createEgress({ ...call.config, env: 'development', egress_allow: '0.0.0.0/0, ::/0' });
  await egress.check(forward).catch((error: EgressFailure) => {
    throw new UsageError(`--forward: ${error.message}`);
  });
  const { db, tx, organisation } = await organisationOf(call);
  if (call.isAlone())
    throw new Error('No server runs on this data folder, so nothing will happen. Start it first: npm start.');
  const [sealing, storage] = [createSealing(call.config), await storageFor(call.config)];
  await joinInstallation({ db, sealing, storage });
  const seal = (text: string) => sealSecret(sealing, organisation.id, text);
  const signing_secret = newSigningSecret();
  const until = () => new Date(call.clock.micros() / 1000 + LISTENED_MS).toISOString();
  const id = idOf(
    await insertWebhook(tx, {
      name: `atrium webhooks listen on ${hostname()} (${randomBytes(4).toString('hex')})`,
      url: forward,
      authentication_type: 'none',
      login_url: null,
      client_id: null,
      client_secret_sealed: null,
      form_params_sealed: null,
      form_param_names: [],
      custom_headers_sealed: seal('{}'),
      custom_header_names: [],
      events: chosen,
      content_scope: 'all',
      active: true,
      signing_secret_sealed: seal(signing_secret),
      listened_until: until(),
    }),
  );
  const say: Say = (object, text) => void process.stdout.write(call.json ? `${JSON.stringify(object)}\n` : `${text}\n`);
  const inFlight = createInFlight(call.clock);
  const deliveries = createDeliveries({
    destinations: [webhookDestination(visibility, id)],
    relays,
    services: { ...call, db, storage, sealing, egress: told(egress, say), inFlight, baseUrl: createBaseUrl(db) },
    logger: pino({ level: 'silent' }),
    organisation_id: organisation.id,
  });
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  deliveries.start();
  const timers = [
    setInterval(() => deliveries.touched(organisation.id), LOOK_MS),
    setInterval(() => updateListener(tx, id, until()).catch(() => {}), RENEW_MS),
  ];
  say(
    { webhook_id: id, signing_secret, forward, events: chosen },
    `Webhook ${id} forwards ${chosen.length} events to ${forward}. Signing secret: ${signing_secret}\nCtrl-C ends it.`,
  );
  await ended;
  for (const timer of timers) clearInterval(timer);
  await deliveries.stop();
  await deleteWebhook(tx, id);
  await egress.close();
  return { json: { ended: true }, text: 'The temporary subscription is gone.\n' };
}

function chosenEvents(call: Call): string[] {
  const wanted = readList(call.text('events') ?? '*');
  const matches = (word: string) => (action: string) =>
    word === '*' || action === word || (word.endsWith('.*') && action.startsWith(word.slice(0, -1)));
  const unknown = wanted.filter((word) => !actions.some(matches(word)));
  if (unknown.length > 0)
    throw new UsageError(`--events: there is no "${unknown.join('", "')}". There are ${actions.join(', ')}.`);
  return [...new Set(wanted.flatMap((word) => actions.filter(matches(word))))];
}

/** Prints every request as it goes by. */
const told = (egress: Egress, say: Say): Egress => ({
  ...egress,
  async send(request) {
    const { action, meta } = JSON.parse(String(request.body ?? '{}')) as {
      action: string;
      meta: { id: string; attempt: number };
    };
    const began = performance.now();
    const report = (outcome: number | string) => {
      const latency_ms = Math.round(performance.now() - began);
      const attempt = `${meta.id}  attempt ${meta.attempt}  ${outcome}  ${latency_ms} ms`;
      say({ action, ...meta, outcome, latency_ms }, `${new Date().toISOString().slice(11, 19)}  ${action}  ${attempt}`);
    };
    try {
      const answer = await egress.send(request);
      report(answer.status);
      return answer;
    } catch (error) {
      report((error as EgressFailure).kind);
      throw error;
    }
  },
});

export async function trigger(call: Call): Promise<Outcome> {
  const event = events.find(({ action }) => action === call.argument);
  if (!event) throw new UsageError(`There is no event "${call.argument}". There are ${actions.join(', ')}.`);
  const { tx, organisation } = await organisationOf(call);
  const asked = call.text('webhook');
  const named = asked === undefined ? undefined : readId(asked, '--webhook');
  if (named !== undefined && !(await findWebhook(tx, named)))
    throw new Error(`Organisation ${organisation.id} has no webhook ${named}.`);
  const ids = named === undefined ? await findListeners(tx, 'here') : [named];
  if (ids.length === 0)
    throw new Error('Nobody listens. Start `atrium webhooks listen` first, or name a subscription with --webhook.');
  const payload = JSON.stringify(sampleOf(event));
  const samples = await Promise.all(ids.map((id) => insertSample(tx, id, event.action, payload)));
  const delivery_ids = samples.flatMap((json) => (json ? idOf(json) : []));
  const receivers = ids.length === 1 ? `webhook ${ids[0]}` : `${ids.length} webhooks`;
  return {
    json: { delivery_ids },
    text: `A sample of ${event.action} goes to ${receivers}: delivery ${delivery_ids.join(', ')}.\n`,
  };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export async function replay(call: Call): Promise<Outcome> {
  const asked = UUID.test(call.argument) ? call.argument : readId(call.argument, '<delivery>');
  const webhook = call.text('webhook');
  const named = webhook === undefined ? undefined : readId(webhook, '--webhook');
  const { tx, organisation } = await organisationOf(call);
  const found = (await findDeliveries(tx, asked)).filter(({ webhook_id }) => (named ?? webhook_id) === webhook_id);
  if (found.length === 0) throw new Error(`Organisation ${organisation.id} has no delivery ${asked}.`);
  const replayed = [];
  for (const { id, webhook_id } of found)
    if (await redeliver(tx, webhook_id, id)) replayed.push({ delivery_id: id, webhook_id });
  if (replayed.length === 0) throw new Error(`Delivery ${asked} is on its way, or waits for its next attempt.`);
  const lines = replayed.map(
    ({ delivery_id, webhook_id }) => `Delivery ${delivery_id} goes to webhook ${webhook_id} again.\n`,
  );
  return { json: { deliveries: replayed }, text: lines.join('') };
}

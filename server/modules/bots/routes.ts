import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes, type Services } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { saidSince } from '../chat/queries.ts';
import { inBotAudience } from './access.ts';
import { listCallbacks, redeliver, withholdCallbacks } from './callback-queries.ts';
import { tryCallback } from './callbacks.ts';
import { bots, type NewBot } from './contract.ts';
import { listKeys, rotateKey, signingKey } from './keys.ts';
import * as queries from './queries.ts';
import { openFor, say } from './speaking.ts';

/** 96 random bits. */
const newBotUserId = () => `bot_${randomBytes(12).toString('base64url')}`;

export const botRoutes = routes(bots, {
  listBots: ({ tx, actor, query }) => queries.listBots(tx, actor, query.skip, query.take),
  getBot: async ({ tx, actor, params }) => (await queries.findBot(tx, actor, params.bot_userid)) ?? refuseNotFound(),
  async createBot({ tx, actor, body, services }) {
    await checkWebhook(services, body.bot_webhook_url);
    return tx.transaction(async (inside) => {
      const audience =
        audienceOf(body) ?? refuseInvalid('global_audience', 'must be 1, or audience must say who sees the bot');
      const id = await queries.insertBot(inside, newBotUserId(), actor.user_id, fieldsOf(body, audience.is_global));
      await replaceAudience(inside, 'bot', id, audience.targets);
      return queries.getBot(inside, id);
    });
  },
  async replaceBot({ tx, params, body, services }) {
    await checkWebhook(services, body.bot_webhook_url);
    return tx.transaction(async (inside) => {
      const bot = (await queries.lockBot(inside, params.bot_userid)) ?? refuseNotFound();
      const audience = audienceOf(body);
      await queries.updateBot(inside, bot.id, fieldsOf(body, audience?.is_global));
      if (audience) await replaceAudience(inside, 'bot', bot.id, audience.targets);
      return queries.getBot(inside, bot.id);
    });
  },
  async deleteBot({ tx, params }) {
    return tx.transaction(async (inside) => {
      const bot_id = (await queries.deleteBot(inside, params.bot_userid)) ?? refuseNotFound();
      await withholdCallbacks(inside, bot_id);
      return toJson({ bot_userid: params.bot_userid });
    });
  },
  async openBotChannel(call) {
    const { tx, actor, body } = call;
    const bot = await botFor(tx, actor, body.bot_userid);
    await checkAudience(tx, bot.id, body.user_id);
    const channel = await openFor(tx, actor, bot.id, body.user_id);
    return { data: channel.json, meta: {}, beside: { channel_url: channel.channel_url } };
  },
  async sendBotMessage(call) {
    const { tx, actor, body } = call;
    const bot = await botFor(tx, actor, body.bot_userid);
    const sent: Json = await say(call, bot, body);
    return { data: toJson(sent), meta: {}, beside: { channel_url: body.channel_url } };
  },
  async tryBot({ tx, actor, params, body, services }) {
    const bot = (await queries.botRows(tx, actor, [params.bot_userid]))[0] ?? refuseNotFound();
    if (!bot.active) refuse('bot_inactive', 'This bot is not active: it could not answer.');
    if (!bot.bot_callback_url) refuse('callback_missing', 'This bot has no webhook address.');
    const user_id =
      actor.kind === 'key' ? (body.user_id ?? refuseInvalid('user_id', 'is required with a key')) : actor.user_id;
    await checkAudience(tx, bot.id, user_id);
    await openFor(tx, actor, bot.id, user_id);
    const { message_id, ...trial } =
      (await tryCallback(tx, services, bot.id, user_id, body.message)) ?? refuseNotFound();
    return toJson({
      ...trial,
      messages: (await saidSince(tx, bot.id, user_id, message_id)).map((json) => JSON.parse(json)),
    });
  },
  async listCallbacks({ tx, actor, params, query }) {
    const bot = (await queries.botRows(tx, actor, [params.bot_userid]))[0] ?? refuseNotFound();
    return listCallbacks(tx, bot.id, query.state, query.skip, query.take);
  },
  async redeliverCallback({ tx, actor, params }) {
    const bot = (await queries.botRows(tx, actor, [params.bot_userid]))[0] ?? refuseNotFound();
    return (await redeliver(tx, bot.id, params.id)) ?? refuseNotFound();
  },
  async listCallbackKeys({ tx, services }) {
    await signingKey(tx, services.sealing);
    return listKeys(tx);
  },
  rotateCallbackKey: ({ tx, body, services }) => rotateKey(tx, services.sealing, body.is_leaked ?? false),
});

async function botFor(tx: Tx, actor: Actor, bot_userid: string): Promise<queries.BotRow> {
  const [bot] = await queries.botRows(tx, actor, [bot_userid]);
  if (!bot) return refuse('bot_not_found', 'There is no such bot.', { path: 'bot_userid' });
  if (!bot.active) refuse('bot_inactive', 'This bot is not active.', { path: 'bot_userid' });
  return bot;
}

async function checkAudience(tx: Tx, bot_id: number, user_id: number) {
  const person = await queries.findPersonFor(tx, bot_id, user_id, inBotAudience(sql`${user_id}::bigint`));
  if (!person) refuse('user_not_found', 'There is no such active person.', { path: 'user_id' });
  if (!person?.visible)
    refuse('bot_not_visible', 'The person is not in the audience of this bot.', { path: 'user_id' });
}

/** The guard that decides when a callback is sent decides here too. */
async function checkWebhook({ egress }: Services, url: string | null | undefined) {
  if (!url) return;
  await egress.check(url).catch((error) => {
    if (error instanceof EgressFailure) refuse('url_refused', error.message, { path: 'bot_webhook_url' });
    throw error;
  });
}

type New = Static<typeof NewBot>;
/** Undefined: the body does not say. A bot that is not global must name whom it is for. */
function audienceOf({ global_audience, audience }: New) {
  const nobody = { type: 'teams', spaces: [], teams: [] } as const;
  if (global_audience) return { is_global: true, targets: nobody };
  const targets = targetsOf(audience);
  if (targets) return { is_global: false, targets };
  return global_audience === false ? refuseInvalid('audience', 'is required when global_audience is 0') : undefined;
}

const fieldsOf = ({ bot_webhook_url, ...bot }: New, is_global: boolean | undefined): queries.BotFields => ({
  ...bot,
  bot_callback_url: bot_webhook_url === '' ? null : bot_webhook_url,
  is_global,
});

import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { trusted } from '../../kernel/data/sql.ts';
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes, type Services } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { everybody, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { botChannel } from '../chat/channels.ts';
import { saidSince } from '../chat/messages.ts';
import { openAs } from '../chat/opening.ts';
import { listCallbacks, redeliver, withholdCallbacks } from './callback-queries.ts';
import { tryCallback } from './callbacks.ts';
import { bots, type NewBot } from './contract.ts';
import { isForPerson } from './in-chat.ts';
import { listKeys, rotateKey, signingKey } from './keys.ts';
import * as queries from './queries.ts';
import { say } from './speaking.ts';

/** 96 random bits. */
const newBotUserId = () => `bot_${randomBytes(12).toString('base64url')}`;

export const botRoutes = routes(bots, {
  listBots: ({ tx, actor, query }) => queries.listBots(tx, actor, query),
  getBot: async ({ tx, actor, params }) => (await queries.findBot(tx, actor, params.bot_userid)) ?? refuseNotFound(),
  async createBot({ tx, actor, body, services }) {
    await refuseUnlessOutside(services, body.bot_webhook_url);
    return tx.transaction(async (inside) => {
      const audience =
        audienceOf(body) ?? refuseInvalid('global_audience', 'must be 1, or audience must say who sees the bot');
      const id = await queries.insertBot(inside, newBotUserId(), actor.user_id, rowOf(body, audience.is_global));
      await replaceAudience(inside, 'bot', id, audience.targets);
      return queries.getBot(inside, id);
    });
  },
  async replaceBot({ tx, params, body, services }) {
    await refuseUnlessOutside(services, body.bot_webhook_url);
    return tx.transaction(async (inside) => {
      const id = (await queries.lockBot(inside, params.bot_userid)) ?? refuseNotFound();
      const audience = audienceOf(body);
      await queries.updateBot(inside, id, rowOf(body, audience?.is_global));
      if (audience) await replaceAudience(inside, 'bot', id, audience.targets);
      return queries.getBot(inside, id);
    });
  },
  deleteBot: ({ tx, params }) =>
    tx.transaction(async (inside) => {
      const id = (await queries.deleteBot(inside, params.bot_userid)) ?? refuseNotFound();
      await withholdCallbacks(inside, id);
      return toJson({ bot_userid: params.bot_userid });
    }),
  async openBotChannel({ tx, actor, body: { bot_userid, user_id } }) {
    const { id } = await activeBot(tx, actor, bot_userid);
    await refuseUnlessFor(tx, id, user_id);
    const { json, channel_url } = await openAs(tx, actor, botChannel(id, user_id));
    return { data: json, meta: {}, beside: { channel_url } };
  },
  async sendBotMessage(call) {
    const { bot_userid, channel_url } = call.body;
    const { id } = await activeBot(call.tx, call.actor, bot_userid);
    return { data: toJson(await say(call, id, call.body)), meta: {}, beside: { channel_url } };
  },
  async tryBot({ tx, actor, params, body, services }) {
    const { id, active, bot_callback_url } = await botFor({ tx, actor, params });
    if (!active) refuse('bot_inactive', 'This bot is not active: it could not answer.');
    if (!bot_callback_url) refuse('callback_missing', 'This bot has no webhook address.');
    const user_id =
      actor.kind === 'key' ? (body.user_id ?? refuseInvalid('user_id', 'is required with a key')) : actor.user_id;
    await refuseUnlessFor(tx, id, user_id);
    await openAs(tx, actor, botChannel(id, user_id));
    const tried = (await tryCallback(tx, services, id, user_id, body.message)) ?? refuseNotFound();
    const { message_id, ...trial } = tried;
    const messages = await saidSince(tx, id, user_id, message_id);
    return toJson({ ...trial, messages: messages.map((json) => JSON.parse(json)) });
  },
  listCallbacks: async ({ tx, actor, params, query }) =>
    listCallbacks(tx, (await botFor({ tx, actor, params })).id, query.state, query.skip, query.take),
  redeliverCallback: async ({ tx, actor, params }) =>
    (await redeliver(tx, (await botFor({ tx, actor, params })).id, params.id)) ?? refuseNotFound(),
  async listCallbackKeys({ tx, services }) {
    await signingKey(tx, services.sealing);
    return listKeys(tx);
  },
  rotateCallbackKey: ({ tx, body, services }) => rotateKey(tx, services.sealing, body.is_leaked ?? false),
});

type Named = Pick<Call, 'tx' | 'actor'> & { params: { bot_userid: string } };
const botFor = async ({ tx, actor, params }: Named) =>
  (await queries.findBots(tx, actor, [params.bot_userid]))[0] ?? refuseNotFound();
/** That a body names. */
async function activeBot(tx: Tx, actor: Actor, bot_userid: string) {
  const [bot] = await queries.findBots(tx, actor, [bot_userid]);
  if (!bot) return refuse('bot_not_found', 'There is no such bot.', { path: 'bot_userid' });
  if (!bot.active) refuse('bot_inactive', 'This bot is not active.', { path: 'bot_userid' });
  return bot;
}

async function refuseUnlessFor(tx: Tx, bot_id: number, user_id: number) {
  const isFor = await isForPerson(tx, bot_id, user_id);
  if (isFor === undefined) refuse('user_not_found', 'There is no such active person.', { path: 'user_id' });
  if (!isFor) refuse('bot_not_visible', 'The person is not in the audience of this bot.', { path: 'user_id' });
}
/** The guard that decides when a callback is sent decides here too. */
async function refuseUnlessOutside({ egress }: Services, url: string | null | undefined) {
  if (!url) return;
  await egress.check(url).catch((error) => {
    if (error instanceof EgressFailure) refuse('url_refused', error.message, { path: 'bot_webhook_url' });
    throw error;
  });
}

type New = Static<typeof NewBot>;
/** Undefined: the body does not say. A bot that is not global must name whom it is for. */
function audienceOf({ global_audience, audience }: New) {
  if (global_audience) return { is_global: true, targets: everybody };
  const targets = targetsOf(audience);
  if (targets) return { is_global: false, targets };
  return global_audience === false ? refuseInvalid('audience', 'is required when global_audience is 0') : undefined;
}
/** An empty address removes the former one. */
const rowOf = ({ bot_webhook_url, ...bot }: New, is_global: boolean | undefined) => ({
  ...bot,
  bot_callback_url: bot_webhook_url === undefined ? undefined : bot_webhook_url || trusted('null'),
  is_global,
});

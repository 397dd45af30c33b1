import type { Module } from '../../kernel/module.ts';
import { botsInChat } from '../chat/bots.ts';
import { outlivesPerson } from '../users/deactivation.ts';
import { deleteOldCallbacks } from './callback-queries.ts';
import { botCallbacks } from './callbacks.ts';
import { inChat } from './in-chat.ts';
import { mountJwks } from './jwks.ts';
import { deleteExpiredKeys } from './keys.ts';
import { countBotsOf } from './queries.ts';
import { botRoutes } from './routes.ts';

export const bots: Module = {
  name: 'bots',
  tables: ['bots', 'bot_audiences', 'bot_callbacks', 'bot_callback_attempts', 'callback_keys'],
  routes: [botRoutes],
  chores: [deleteExpiredKeys, (tx, { config }) => deleteOldCallbacks(tx, config.webhook_days)],
  destinations: [botCallbacks],
  mount: mountJwks,
  contributes: [botsInChat(inChat), outlivesPerson({ name: 'bots', count: countBotsOf })],
};

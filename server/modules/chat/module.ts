import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { mountGateway, openSocket } from './gateway.ts';
import { deleteStalePresence } from './live.ts';
import { messagesList } from './queries.ts';
import { chatRoutes } from './routes.ts';

export const chat: Module = {
  name: 'chat',
  tables: ['chat_channels', 'chat_members', 'chat_messages', 'chat_bot_members', 'chat_presence', 'chat_reads'],
  routes: [chatRoutes],
  lists: [messagesList],
  chores: [deleteStalePresence],
  alsoMounted: [openSocket],
  mount: mountGateway,
  contributes: [everybodysFamily('chats')],
};

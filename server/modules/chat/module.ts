import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { showsFiles } from '../assets/addresses.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { mountGateway } from './gateway.ts';
import { messagesList, seenMessages } from './messages.ts';
import { pushMessage } from './notifications.ts';
import { deleteStalePresence } from './presence.ts';
import { chatRoutes } from './routes.ts';
import { deletePastTickets, endTickets } from './tickets.ts';
import { openSocket } from './upgrade.ts';

export const chat: Module = {
  name: 'chat',
  tables: [
    'chat_channels',
    'chat_members',
    'chat_messages',
    'chat_bot_members',
    'chat_presence',
    'chat_reads',
    'socket_tickets',
  ],
  routes: [chatRoutes],
  lists: [messagesList],
  jobs: [pushMessage],
  chores: [deleteStalePresence, deletePastTickets],
  alsoMounted: [openSocket],
  mount: mountGateway,
  contributes: [
    everybodysFamily('chats', { sensitive: ['messages.read', 'channels.*'], isClosedToJwts: true }),
    showsFiles({ kind: 'message', seen: seenMessages }),
    endsWithPerson({ name: 'socket_tickets', end: endTickets, isSignIn: true }),
  ],
};

// What the commands do is loaded when one of them runs: it needs every module.
import { type Command, org } from './command.ts';

export const webhookCommands: readonly Command[] = [
  {
    words: 'webhooks listen',
    about: 'Forward events to a program on this machine while it runs',
    options: {
      org,
      forward: { type: 'string', value: 'URL', about: 'For example http://localhost:5000/hook.', required: true },
      events: { type: 'string', value: 'LIST', about: 'For example page.created,kudos.*; default all.' },
    },
    run: async (call) => (await import('./listening.ts')).listen(call),
  },
  {
    words: 'webhooks trigger',
    argument: 'event',
    about: 'Send a sample of an event',
    options: {
      org,
      webhook: { type: 'string', value: 'ID', about: 'To this subscription; default all that `webhooks listen` made.' },
    },
    run: async (call) => (await import('./listening.ts')).trigger(call),
  },
  {
    words: 'webhooks replay',
    argument: 'delivery',
    about: 'Deliver an event again',
    options: { org },
    run: async (call) => (await import('./listening.ts')).replay(call),
  },
];

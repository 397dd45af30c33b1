import { type Command, needed, org } from './command.ts';

/** Loaded when one of its commands runs: they need every module. */
const run =
  (command: 'listen' | 'trigger' | 'replay'): Command['run'] =>
  async (call) =>
    (await import('./listening.ts'))[command](call);

export const webhookCommands: readonly Command[] = [
  {
    words: 'webhooks listen',
    about: 'Forward events to a program on this machine while it runs',
    options: {
      org,
      forward: needed('URL', 'For example http://localhost:5000/hook, or localhost:5000.'),
      events: { value: 'LIST', about: 'For example page.created,kudos.*; default all.' },
    },
    run: run('listen'),
  },
  {
    words: 'webhooks trigger',
    argument: 'event',
    about: 'Send a sample of an event',
    options: { org, webhook: { value: 'ID', about: 'To this subscription; default all that `webhooks listen` made.' } },
    run: run('trigger'),
  },
  {
    words: 'webhooks replay',
    argument: 'delivery',
    about: 'Deliver an event again: by the id of a delivery, or of an event as `webhooks listen` shows it',
    options: { org, webhook: { value: 'ID', about: 'To this subscription; default all that the event went to.' } },
    run: run('replay'),
  },
];

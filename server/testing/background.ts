// A node that does nothing but background work until there is none, in a process of its own, so that it can be killed.
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { createClock } from '../kernel/clock.ts';
import { readConfig } from '../kernel/config.ts';

const atrium = await buildApp({
  config: readConfig(process.env),
  database_url: process.env.DATABASE_URL ?? '',
  clock: createClock(),
  logger: pino({ level: 'silent' }),
});
console.log('working');
// Events become notices in the first round, and are told in the second.
await atrium.workers.drain();
await atrium.workers.drain();
await atrium.close();
console.log('done');
process.exit();

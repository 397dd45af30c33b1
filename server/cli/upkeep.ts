import { migrate } from '../kernel/data/migrate.ts';
import { storageFor } from '../kernel/files/s3-storage.ts';
import { adopt } from '../kernel/installation.ts';
import { createSealing } from '../kernel/people/sealing.ts';
import type { Call, Command, Outcome } from './command.ts';
import { needed, org, organisationOf, readCount, UsageError } from './command.ts';

async function bringForward(call: Call): Promise<Outcome> {
  const applied = await migrate(await call.db('as it is'));
  return { json: { applied }, text: applied.map((name) => `Applied ${name}\n`).join('') || 'Nothing is pending.\n' };
}

async function fill(call: Call): Promise<Outcome> {
  const users = readCount(call.text('users') ?? '', '--users');
  const posts = readCount(call.text('posts') ?? '0', '--posts');
  if (users === 0) throw new UsageError('--users must be 1 or more.');
  const [{ seed }, { showProgress }] = await Promise.all([import('../seed.ts'), import('../progress.ts')]);
  const pages = Math.floor(posts * 0.4);
  const { db, organisation } = await organisationOf(call);
  const progress = call.json ? undefined : await showProgress('seeding', users + posts);
  const began = performance.now();
  const onProgress = (done: number) => progress?.update(done);
  await seed(db, call.clock, { organisation_id: organisation.id, users, pages, posts: posts - pages, onProgress });
  onProgress(users + posts);
  progress?.stop();
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return {
    json: { organisation_id: organisation.id, users, posts, seconds },
    text: `${organisation.name} has ${users} more users and ${posts} more posts, after ${seconds} s.\n`,
  };
}

async function adoptThis(call: Call): Promise<Outcome> {
  const what = { secret_key: call.flag('secret-key'), storage: call.flag('storage') };
  if (!what.secret_key && !what.storage) throw new UsageError('`adopt` needs --secret-key or --storage, or both.');
  const { config } = call;
  const parts = { db: await call.db(), sealing: createSealing(config), storage: await storageFor(config) };
  await adopt(parts, what);
  const adopted = [...(what.secret_key ? ['secret key'] : []), ...(what.storage ? ['storage of files'] : [])];
  const text = `The ${adopted.join(' and the ')} of this node are the installation’s now: every node needs the same.\n`;
  return { json: what, text };
}

export const upkeepCommands: readonly Command[] = [
  {
    words: 'seed',
    about: 'Fill an organisation with made-up people and posts, to try it at size',
    options: {
      org,
      users: needed('N', 'How many people.'),
      posts: {
        value: 'M',
        about: 'How many pages, updates, articles, kudos and events, with comments and likes; default 0.',
      },
    },
    run: fill,
  },
  {
    words: 'adopt',
    about: 'Make this machine’s secret key or files the installation’s, when the former are lost or were moved',
    options: {
      'secret-key': { about: 'What the former key sealed cannot be read any more, and must be entered anew.' },
      storage: { about: 'What is not among these files is missing.' },
    },
    run: adoptThis,
  },
  { words: 'migrate', about: 'Bring the database’s schema forward', run: bringForward },
];

import { migrate } from '../kernel/data/migrate.ts';
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
  const [{ seed }, { SingleBar }] = await Promise.all([import('../seed.ts'), import('cli-progress')]);
  const { db, organisation } = await organisationOf(call);
  const format = '{bar} {percentage}%  {value} of {total}  {eta_formatted} left';
  const bar = call.json ? undefined : new SingleBar({ stream: process.stderr, format, hideCursor: true });
  const began = performance.now();
  bar?.start(users + posts, 0);
  const onProgress = (done: number) => bar?.update(done);
  await seed(db, call.clock, { organisation_id: organisation.id, users, posts, onProgress });
  onProgress(users + posts);
  bar?.stop();
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return {
    json: { organisation_id: organisation.id, users, posts, seconds },
    text: `${organisation.name} has ${users} more users and ${posts} more posts, after ${seconds} s.\n`,
  };
}

export const upkeepCommands: readonly Command[] = [
  {
    words: 'seed',
    about: 'Fill an organisation with made-up people and posts, to try it at size',
    options: {
      org,
      users: needed('N', 'How many people.'),
      posts: { value: 'M', about: 'How many posts; default 0.' },
    },
    run: fill,
  },
  { words: 'migrate', about: 'Bring the database’s schema forward', run: bringForward },
];

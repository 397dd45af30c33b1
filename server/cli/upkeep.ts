import { migrate } from '../kernel/data/migrate.ts';
import { type Call, type Command, countOf, type Outcome, org, organisationOf, UsageError } from './command.ts';

async function bringForward(call: Call): Promise<Outcome> {
  const applied = await migrate(await call.db('as it is'));
  return {
    json: { applied },
    text: applied.length > 0 ? applied.map((name) => `Applied ${name}\n`).join('') : 'Nothing is pending.\n',
  };
}

async function fill(call: Call): Promise<Outcome> {
  const [users, posts] = [countOf(call, 'users', 0), countOf(call, 'posts', 0)];
  if (users === 0) throw new UsageError('--users must be 1 or more.');
  const [{ seed }, { SingleBar }] = await Promise.all([import('../seed.ts'), import('cli-progress')]);
  const { db, organisation } = await organisationOf(call);
  const bar = call.json
    ? undefined
    : new SingleBar({
        stream: process.stderr,
        format: '{bar} {percentage}%  {value} of {total}  {eta_formatted} left',
        hideCursor: true,
      });
  const began = performance.now();
  bar?.start(users + posts, 0);
  await seed(db, call.clock, {
    organisation_id: organisation.id,
    users,
    posts,
    onProgress: (done) => bar?.update(done),
  });
  bar?.update(users + posts);
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
      users: { type: 'string', value: 'N', about: 'How many people.', required: true },
      posts: { type: 'string', value: 'M', about: 'How many posts; default 0.' },
    },
    run: fill,
  },
  { words: 'migrate', about: 'Bring the database’s schema forward', options: {}, run: bringForward },
];

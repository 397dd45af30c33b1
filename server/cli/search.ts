import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Tx } from '../kernel/data/db.ts';
import { listOrganisations } from '../modules/organisations/queries.ts';
import type { Call, Command, Outcome } from './command.ts';
import { organisationOf } from './command.ts';

const TURN_MS = 1000;
const WAIT_MS = 500;

async function rebuildIndex(call: Call): Promise<Outcome> {
  // The families of all modules.
  await import('../modules.ts');
  const { rebuild } = await import('../modules/search/following.ts');
  const organisations = await asked(call);
  const db = await call.db();
  const began = performance.now();
  for (const { id, name } of organisations) {
    const tx = db.inOrganisation(id);
    if (!call.flag('continue')) await rebuild(tx);
    await finish(call, tx, name);
  }
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const items = await countItems(db, organisations);
  return {
    json: { organisations: organisations.map(({ id }) => id), items, seconds },
    text: `${items} items of ${organisations.length} organisations can be found, after ${seconds} s.\n`,
  };
}

async function asked(call: Call) {
  if (call.text('org') !== undefined) return [(await organisationOf(call)).organisation];
  return listOrganisations(await call.db());
}

/** A server that runs may be at it too: whoever comes first goes on. */
async function finish(call: Call, tx: Tx, name: string) {
  const [{ follow, howFar }, { showProgress }] = await Promise.all([
    import('../modules/search/following.ts'),
    import('../progress.ts'),
  ]);
  const { total } = await howFar(tx);
  const progress = call.json ? undefined : await showProgress(name, Math.max(total, 1));
  for (;;) {
    const isMore = await follow(tx, TURN_MS);
    const { done, isDone } = await howFar(tx);
    progress?.update(Math.min(done, total));
    if (isDone) break;
    if (!isMore) await sleep(WAIT_MS);
  }
  progress?.stop();
}

async function countItems(db: Db, organisations: readonly { id: number }[]): Promise<number> {
  const { countIndexed } = await import('../modules/search/writing.ts');
  const counts = await Promise.all(organisations.map(({ id }) => countIndexed(db.inOrganisation(id))));
  return counts.reduce((sum, count) => sum + count, 0);
}

export const searchCommands: readonly Command[] = [
  {
    words: 'search rebuild',
    about: 'Read everything into the search index anew; searches go on meanwhile, and it can be stopped and continued',
    options: {
      org: { value: 'ID', about: 'Only this organisation; omitted: all.' },
      continue: { about: 'Go on with what was stopped, in place of beginning anew.' },
    },
    run: rebuildIndex,
  },
];

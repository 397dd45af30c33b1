import { refuse } from '../../kernel/contract/errors.ts';
import { findFloor, settledSequence } from '../../kernel/data/changes.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { readable } from '../../kernel/people/auth.ts';
import { changes } from './contract.ts';
import { feeds } from './feeds.ts';
import { findEntries, findKeys } from './queries.ts';

export const changeRoutes = routes(changes, {
  async listChanges({ tx, actor, query: { after = 0, take = 50, types } }) {
    const asked = readable(actor, feeds(), types, ({ table }) => `${table}.*.read`);
    const tables = asked.map(({ table }) => table);
    const until = await settledSequence(tx, tables);
    if (until === undefined) return { data: [], meta: { next: after, has_more: true } };
    const keys = await findKeys(tx, asked, after, until, take);
    await refuseExpired(tx, after);
    const found = await Promise.all(
      asked.flatMap((feed) => {
        const own = keys.filter(({ type }) => type === feed.type);
        return own.length > 0 ? [findEntries(tx, actor, feed, own)] : [];
      }),
    );
    const entries = found.flat().sort((a, b) => a.sequence - b.sequence);
    const has_more = keys.length === take;
    const next = has_more ? (keys.at(-1)?.sequence ?? after) : Math.max(after, until);
    return { data: entries.map(({ json }) => json), meta: { next, has_more } };
  },
});

async function refuseExpired(tx: Call['tx'], after: number) {
  if (after > 0 && after < (await findFloor(tx)))
    refuse('changes_expired', 'What was deleted since then is not known any more: begin a new copy, without `after`.', {
      path: 'after',
    });
}

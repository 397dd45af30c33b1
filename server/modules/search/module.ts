// What can be found, for whoever may see it.
//
//   families.ts    what can be found: its rows, its texts (readings.ts), who sees it
//   entries.ts     what the index holds of an item: keys (keys.ts) of its words (words.ts)
//   following.ts   the index follows what changed; indexing.ts and writing.ts write it; files.ts reads documents' files
//   searching.ts   a search, step by step
//   suggesting.ts  names while somebody types
import { sql } from '../../kernel/data/sql.ts';
import type { Module } from '../../kernel/module.ts';
import { readFiles } from './files.ts';
import { follow } from './following.ts';
import { searchRoutes } from './routes.ts';

const TURN_MS = 2000;

export const search: Module = {
  name: 'search',
  tables: ['search_items', 'search_terms', 'search_blocks', 'search_state', 'search_files'],
  routes: [searchRoutes],
  chores: [(tx) => follow(tx), (tx, { storage }) => readFiles(tx, storage, TURN_MS)],
  due: sql`least(
    (select due_at from search_state where organisation_id = $1),
    (select min(due_at) from search_files where organisation_id = $1))`,
};

// What the planner knows of a table nobody has analysed yet is nothing. No list may depend on more.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tx } from './kernel/data/db.ts';
import { type Sql, sql } from './kernel/data/sql.ts';
import { listArticles } from './modules/articles/queries.ts';
import { listEvents } from './modules/events/queries.ts';
import { listPages } from './modules/pages/queries.ts';
import { listPosts } from './modules/posts/queries.ts';
import { listSpaces } from './modules/spaces/queries.ts';
import { listUsers } from './modules/users/queries.ts';
import { startAtrium } from './testing/atrium.ts';

const atrium = await startAtrium();
const ROWS = 150;
const filled: Record<string, string> = {
  users: `insert into users (organisation_id, email, first_name, last_name, created_at, updated_at)
    select 1, 'p' || g || '@example.org', 'P', 'Q', now(), now() from generate_series(1, ${ROWS}) g`,
  pages: `insert into pages (organisation_id, title, html_content, slug, creator_id, created_at, updated_at)
    select 1, 'T', '<p>x</p>', 't', 1, now(), now() from generate_series(1, ${ROWS}) g`,
  articles: `insert into articles
      (organisation_id, title, html_content, slug, creator_id, published_at, created_at, updated_at, list_class)
    select 1, 'T', '<p>x</p>', 's' || g, 1, now(), now(), now(), 0 from generate_series(1, ${ROWS}) g`,
  updates: `insert into updates (organisation_id, text, html, creator_id, created_at, updated_at, list_class)
    select 1, 'T', 'T', 1, now(), now(), 0 from generate_series(1, ${ROWS}) g`,
  events: `insert into events
      (organisation_id, title, starts_at, ends_at, timezone, creator_id, created_at, updated_at, list_class)
    select 1, 'T', now(), now() + interval '1 hour', 'UTC', 1, now(), now(), 0 from generate_series(1, ${ROWS}) g`,
  spaces: `insert into spaces (organisation_id, name, created_at, updated_at)
    select 1, 'S' || g, now(), now() from generate_series(1, ${ROWS}) g`,
};

const tx = atrium.services.db.inOrganisation(1);
const actor = { kind: 'key', organisation_id: 1, user_id: 1, scopes: ['*'], roles: [], credential_id: 1 } as const;
const page = { skip: 0, take: 50 };
const lists: Record<string, (tx: Tx) => Promise<unknown>> = {
  users: (on) => listUsers(on, actor, { ...page, classes: [0], expand: [] }),
  pages: (on) => listPages(on, actor, page),
  articles: (on) => listArticles(on, actor, page),
  updates: (on) => listPosts(on, actor, 'update', page),
  events: (on) => listEvents(on, actor, page),
  spaces: (on) => listSpaces(on, actor, page),
};

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}
/** Blocks that the statement of a list reads, by the database's own account. */
async function blocksOf(list: (tx: Tx) => Promise<unknown>): Promise<number> {
  let blocks = 0;
  const explaining: Tx = {
    ...tx,
    async rows<Row>(statement: Sql) {
      const json = await tx.value<string>(sql`explain (analyze, buffers, timing off, format json) ${statement}`);
      const [{ Plan }] = JSON.parse(String(json)) as [{ Plan: Plan }];
      blocks = Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
      return [] as Row[];
    },
  };
  await list(explaining);
  return blocks;
}

describe('without statistics', () => {
  for (const [family, insert] of Object.entries(filled))
    test(`a list of 50 ${family} of ${ROWS} looks up what it shows, and not all of them for each`, async () => {
      await atrium.rows(insert);
      await atrium.rows(
        `select pg_clear_attribute_stats(schemaname, tablename, attname, inherited) from pg_stats
         where schemaname = 'public'`,
      );
      await atrium.rows(
        `select pg_clear_relation_stats('public', relname) from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
      );
      const blocks = await blocksOf(lists[family] as (tx: Tx) => Promise<unknown>);
      // About a dozen rows of other tables for each that is shown, at two or three blocks each.
      assert.ok(blocks < 50 * 60, `${blocks} blocks`);
    });
});

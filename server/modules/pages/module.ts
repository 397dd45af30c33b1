import { noted } from '../../kernel/data/changes.ts';
import { uncounted } from '../../kernel/data/listing.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { contentFamilies } from '../content/family.ts';
import { publicNow } from '../content/lists.ts';
import { followsSpace } from '../spaces/following.ts';
import * as events from './events.ts';
import { pageFamily, pagesList } from './family.ts';
import { pageRoutes } from './routes.ts';

export const pages: Module = {
  name: 'pages',
  tables: ['pages', 'page_translations', 'page_audiences'],
  routes: [pageRoutes],
  events: Object.values(events),
  visibility: { page: publicNow(pageFamily) },
  lists: [pagesList],
  contributes: [
    everybodysFamily('pages'),
    contentFamilies(pageFamily),
    followsSpace({
      isIn: (space_id) => sql`exists (select from pages where organisation_id = $1 and list_bucket = ${space_id})`,
      visibilityChanged: (tx, space_id) =>
        tx.rows(
          noted('page', sql`(select id from pages where organisation_id = $1 and space_id = ${space_id})`, tx.now()),
        ),
      deleted: (tx, space_id) => tx.rows(sql`with ${uncounted([pagesList], space_id)} select`),
    }),
  ],
};

import type { Query } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { onDays } from '../../kernel/data/periods.ts';
import { cleared, hidden, kept } from '../../kernel/data/rows.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { audienceOf } from '../audiences/queries.ts';
import { listFamily, picture, type RowFamily } from '../pictures/rows.ts';
import { knows } from '../spaces/access.ts';
import { seesBillboard } from './access.ts';
import type { billboards } from './contract.ts';

export const billboardFamily: RowFamily = {
  name: 'billboards',
  columns: {
    title: cleared('text'),
    html_content: cleared('text', ''),
    image_key: picture('image', 'image_url'),
    link: cleared('text'),
    starts_at: kept('timestamptz'),
    ends_at: cleared('timestamptz'),
    audience_type: hidden(kept('text', 'Global')),
  },
  list: { table: 'billboards', at: 'starts_at', id: 'id', newestFirst: true },
  shown: (_now, actor) => sql`${audienceOf('billboard', actor && knows(actor, trusted('s')))} as audience`,
  path: '/billboards/',
  sees: seesBillboard,
};

export const listBillboards = (tx: Tx, actor: Actor, query: Query<typeof billboards.endpoints.listBillboards>) =>
  listFamily(tx, billboardFamily, query, onDays(query, trusted('t.starts_at'), trusted('t.ends_at')), actor);

// The families of the feed: whose rows it reads, and how a reader sees one of them.
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { plurals } from '../content/contract.ts';
import { contentFamilies } from '../content/family.ts';
import { shownRows as shownContent } from '../content/shown.ts';
import { inVisibleSpace } from '../documents/access.ts';
import { documentFamily } from '../documents/queries.ts';
import { shownRows } from '../pictures/rows.ts';
import { knows } from '../spaces/access.ts';
import { shown as shownSpaces } from '../spaces/queries.ts';
import { shown as shownTeams } from '../teams/queries.ts';
import { shownUser } from '../users/queries.ts';
import type { ChangeType } from './contract.ts';

export interface Feed<Type extends string = ChangeType> {
  readonly type: Type;
  /** The table, which is the family of scopes too. */
  readonly table: string;
  /** SQL on a row `t`: it is in the feed at all. */
  readonly where?: Sql;
  /** SQL that selects `json` of the row with this id as the actor sees it, or nothing. */
  readonly shown: (tx: Tx, actor: Actor, id: Sql) => Sql;
}

const rowOf = (table: string, id: Sql, alias: string, condition: Sql) => sql`(
  select * from ${trusted(table)} ${trusted(alias)}
  where ${trusted(alias)}.organisation_id = $1 and ${trusted(alias)}.id = ${id} and ${condition})`;

export const feeds = (): readonly Feed[] => [
  ...contentFamilies.all.map((family): Feed => {
    const { noun, sees } = family;
    const shown = (tx: Tx, actor: Actor, id: Sql) =>
      shownContent(family, rowOf(plurals[noun], id, 't', sees(actor)), { now: tx.now(), actor });
    return { type: noun, table: plurals[noun], shown };
  }),
  {
    type: 'document',
    table: 'documents',
    shown: (tx, actor, id) =>
      shownRows(documentFamily, rowOf('documents', id, 't', inVisibleSpace(actor)), tx.now(), actor),
  },
  {
    type: 'space',
    table: 'spaces',
    shown: (_tx, actor, id) => shownSpaces(sql`${rowOf('spaces', id, 's', knows(actor, trusted('s')))} s`),
  },
  {
    type: 'team',
    table: 'teams',
    shown: (_tx, _actor, id) => shownTeams(sql`${rowOf('teams', id, 't', trusted('true'))} t`),
  },
  {
    type: 'user',
    table: 'users',
    where: trusted(`t.kind = 'person'`),
    shown: (_tx, _actor, id) => shownUser(id),
  },
];

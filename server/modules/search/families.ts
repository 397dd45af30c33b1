// What can be found, family by family: which rows there are, who sees them, and what is read of them. The same reading
// is indexed and shown.
import type { Tx } from '../../kernel/data/db.ts';
import { all, joined, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { sees } from '../content/access.ts';
import { type ContentNoun, contentNouns, plurals } from '../content/contract.ts';
import { inVisibleSpace } from '../documents/access.ts';
import { knows } from '../spaces/access.ts';
import type { SearchType } from './contract.ts';
import { contentReading, type Reading, readings } from './readings.ts';

export interface SearchFamily {
  readonly type: SearchType;
  /** What it is in the index. */
  readonly number: number;
  /** The table, which is the family of scopes too. */
  readonly table: string;
  /** SQL on `t`: which of its rows can be found at all. */
  readonly where?: Sql;
  readonly reading: Reading;
  /** SQL: ids of rows among `ids`, an array, that the actor sees now and that meet `where`. */
  readonly seen: (actor: Actor, ids: Sql, where: readonly Sql[]) => Sql;
}

const among =
  (table: string, condition: (actor: Actor) => Sql): SearchFamily['seen'] =>
  (actor, ids, where) =>
    sql`
    select t.id from ${trusted(table)} t
    where t.organisation_id = $1 and t.id = any(${ids}) and ${all([condition(actor), ...where])}`;

/** Comments are seen by whoever sees what they are about. */
const seenComments: SearchFamily['seen'] = (actor, ids, where) => {
  const under = contentNouns.map(
    (noun) => sql`
      select c.id, c.updated_at from comments c
      join ${trusted(plurals[noun])} t on t.organisation_id = $1 and t.id = c.content_id
      where c.organisation_id = $1 and c.id = any(${ids}) and c.kind = ${literal(noun)}
        and ${notArchived(noun)} and ${sees(actor, noun)}`,
  );
  return sql`select t.id from (${joined(under, ' union all ')}) t where ${all(where)}`;
};

/** SQL on `t`: what is in the archive is not found. */
const notArchived = (noun: ContentNoun) => trusted(noun === 'page' ? 'true' : 't.list_bucket <> 1');
const content = (type: ContentNoun, number: number): SearchFamily => ({
  type,
  number,
  table: plurals[type],
  where: notArchived(type),
  reading: contentReading(type),
  seen: among(plurals[type], (actor) => sql`${notArchived(type)} and ${sees(actor, type)}`),
});
const open = (type: 'team' | 'goal' | 'badge', number: number): SearchFamily => ({
  type,
  number,
  table: `${type}s`,
  reading: readings[type],
  seen: among(`${type}s`, () => trusted('true')),
});
const activePerson = trusted(`t.kind = 'person' and t.is_active`);
const activeSpace = trusted('not t.is_archived');

export const families: readonly SearchFamily[] = [
  {
    type: 'user',
    number: 1,
    table: 'users',
    where: activePerson,
    reading: readings.user,
    seen: among('users', () => activePerson),
  },
  content('page', 2),
  content('article', 3),
  content('update', 4),
  content('kudos', 5),
  content('event', 6),
  { type: 'comment', number: 7, table: 'comments', reading: readings.comment, seen: seenComments },
  {
    type: 'space',
    number: 8,
    table: 'spaces',
    where: activeSpace,
    reading: readings.space,
    seen: among('spaces', (actor) => sql`${activeSpace} and ${knows(actor, trusted('t'))}`),
  },
  open('team', 9),
  {
    type: 'document',
    number: 10,
    table: 'documents',
    reading: readings.document,
    seen: among('documents', inVisibleSpace),
  },
  open('goal', 11),
  open('badge', 12),
];
export const familyOf = (type: string): SearchFamily => families.find((one) => one.type === type) as SearchFamily;
export const byNumber = new Map(families.map((family) => [family.number, family]));
export const scopeOf = ({ table }: SearchFamily) => `${table}.*.read`;
export const readableBy = ({ scopes }: Actor) => families.filter((family) => holds(scopes, scopeOf(family)));

/** A text of an item, in one language. Only what is written in HTML has any. */
export interface Version {
  readonly language: string | null;
  readonly title: string;
  readonly text: string;
  readonly is_html: boolean;
}
/** An item as it is read: what is indexed of it, and what is shown. */
export interface Item {
  readonly id: number;
  readonly sequence: number;
  readonly at: string;
  readonly creator_id: number | null;
  readonly reach: number;
  readonly places: readonly number[];
  readonly spaces: readonly number[];
  /** Whole texts that name it: external ids, addresses of people. */
  readonly names: readonly (string | null)[];
  readonly versions: readonly Version[];
  readonly url: string;
  readonly creator: object | null;
  readonly created_at: string;
  readonly updated_at: string;
}
/** Rows of one family by id, their texts cut at `length`. */
export const readItems = async (tx: Pick<Tx, 'jsons'>, family: SearchFamily, ids: Sql, length: number) => {
  const { where = trusted('true') } = family;
  const jsons = await tx.jsons(
    family.reading(
      sql`(
    select * from ${trusted(family.table)} t
    where t.organisation_id = $1 and t.id = any(${ids}) and ${where})`,
      length,
    ),
  );
  return jsons.map((json) => JSON.parse(json) as Item);
};

// Families of plain rows: goals, campaigns, badges, billboards, livestreams, folders, apps. A family lists its columns
// once; the statements that list, get, insert, replace and delete its rows follow. goals/ is the smallest of them.
import type { Paging } from '../../kernel/contract/contract.ts';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { noted } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { type Change, type Column, cleared, inserted, replaced, touched, type Values } from '../../kernel/data/rows.ts';
import { all, jsonOf, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Call } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type PictureField, pictureUrl, removedPictures, withPictures } from './queries.ts';

export interface RowColumn extends Column {
  /** A PUT that omits it leaves it as it is; null empties it. */
  readonly isOptional?: boolean;
  /** It has the key of a picture, which a body brings in `field` and a reply shows as `shown`. */
  readonly picture?: { readonly field: string; readonly shown: string };
}
export const optional = (type: string): RowColumn => ({ ...cleared(type), isOptional: true });
export const picture = (field: string, shown = field): RowColumn => ({
  ...optional('text'),
  picture: { field, shown },
});

export interface RowFamily {
  /** The table. */
  readonly name: string;
  readonly columns: Readonly<Record<string, RowColumn>>;
  /** The order of its list; omitted: by id. */
  readonly list?: Listing;
  /** Further columns of the reply; `t` is the row, `o` its organisation. Without an actor: all that anybody sees. */
  readonly shown?: (now: string, actor?: Actor) => Sql;
  /** Where people open a row; omitted: it has no address. */
  readonly path?: string;
  /** What its rows are called where their changes are followed (kernel/data/changes.ts): they have `sequence`. */
  readonly followedAs?: string;
  /** SQL: the actor sees the row `t`. Omitted: everybody does. */
  readonly sees?: (actor: Actor, now: string) => Sql;
}

const shownAs = (name: string, { type, picture }: RowColumn) => {
  if (picture) return `${pictureUrl(`t.${name}`)} as ${picture.shown}`;
  return type === 'timestamptz' ? `iso(t.${name}) as ${name}` : `t.${name}`;
};
/** Columns of the reply, of the row `t` and its organisation `o`. */
export function rowColumns({ columns, shown, path }: RowFamily, now: string, actor?: Actor): Sql {
  const plain = Object.entries(columns).flatMap(([name, column]) => (column.isHidden ? [] : shownAs(name, column)));
  const address = path ? `, o.web_url || '${path}' || t.id as permalink` : '';
  return sql`t.id, ${trusted(plain.join(', '))}${shown ? sql`, ${shown(now, actor)}` : nothing},
    iso(t.created_at) as created_at, iso(t.updated_at) as updated_at${trusted(address)}`;
}
/** Rows of `source` in full. */
export const rowsFrom = (source: Sql) => sql`${source} t join organisations o on o.id = t.organisation_id`;
/** The reply, for each row of `source`. */
export const shownRows = (family: RowFamily, source: Sql, now: string, actor?: Actor) =>
  jsonOf(sql`select ${rowColumns(family, now, actor)} from ${rowsFrom(source)}`);

const rowOf = ({ name }: RowFamily, id: unknown, where: readonly Sql[] = []) => sql`(
  select * from ${trusted(name)} t where t.organisation_id = $1 and t.id = ${id} and ${all(where)})`;
const seenBy = ({ sees }: RowFamily, now: string, actor?: Actor) => (sees && actor ? [sees(actor, now)] : []);

/** Page of the rows that the actor sees and that meet `where`, conditions on `t`. */
export const listFamily = (
  tx: Tx,
  family: RowFamily,
  { skip, take, updated_after }: Paging,
  where: readonly Sql[] = [],
  actor?: Actor,
) => {
  const { list = { table: family.name, at: null, id: 'id', newestFirst: false } } = family;
  const slice = { skip, take, updated_after, ...everyRow, where: [...seenBy(family, tx.now(), actor), ...where] };
  return listRows(tx, list, slice, shownRows(family, rowOf(family, trusted('listed.id')), tx.now(), actor));
};
/** Refuses where there is none, or the actor does not see it; so do `replaceRow` and `deleteRow`. */
export const getRow = async (tx: Tx, family: RowFamily, id: number, actor?: Actor) => {
  const source = rowOf(family, id, seenBy(family, tx.now(), actor));
  return (await tx.json(shownRows(family, source, tx.now(), actor))) ?? refuseNotFound();
};
/** As written a moment ago by the same request. */
export const getWritten = (tx: Tx, family: RowFamily, id: number, actor: Actor) =>
  tx.json(shownRows(family, rowOf(family, id), tx.now(), actor)) as Promise<Json>;

/** `more` are columns that no request replaces. */
export const insertRow = (tx: Tx, family: RowFamily, values: Values, more: Values = {}, actor?: Actor) => {
  const now = tx.now();
  const moments = { created_at: values.created_at ?? now, updated_at: now };
  return tx.json(sql`
    with added as (${inserted(family, values, { ...more, ...moments })})
    ${shownRows(family, trusted('added'), now, actor)}`) as Promise<Json>;
};

/** SQL: what the optional column of `was` has after a PUT. */
const unlessOmitted = (column: string, type: string, value: unknown) => sql`
  case when ${value === undefined}::boolean then was.${trusted(column)} else ${value ?? null}::${trusted(type)} end`;
/** Assignment: the row `t` is later than before, even within one microsecond. */
export const updatedAt = (now: string) =>
  sql`updated_at = greatest(${now}::timestamptz, t.updated_at + interval '1 microsecond')`;

/** CTEs as `replaced` of kernel/data/rows.ts has them. */
export const replacedRow = (family: RowFamily, id: number, values: Values, change: Change): Sql => {
  const optionals = Object.entries(family.columns).filter(([, { isOptional }]) => isOptional);
  const asked = optionals.map(([name, { type }]) => [name, unlessOmitted(name, type, values[name])]);
  return replaced(family, id, { ...values, ...Object.fromEntries(asked) }, change);
};
/** A PUT counts as a change even where everything is equal. */
export const replaceRow = async (tx: Tx, family: RowFamily, id: number, values: Values, actor?: Actor) => {
  const now = tx.now();
  const set = family.followedAs ? touched(now) : updatedAt(now);
  const change = { set, always: true, where: seenBy(family, now, actor) };
  const json = await tx.json(sql`
    with ${replacedRow(family, id, values, change)}
    ${picturesRemoved(family, 'was', now, 'changed')}
    ${shownRows(family, trusted('changed'), now, actor)}`);
  return json ?? refuseNotFound();
};
export const deleteRow = async (tx: Tx, family: RowFamily, id: number, actor?: Actor) => {
  const condition = all(seenBy(family, tx.now(), actor));
  const json = await tx.json(sql`
    with gone as (
      delete from ${trusted(family.name)} t
      where t.organisation_id = $1 and t.id = ${id} and ${condition} returning t.*)
    ${picturesRemoved(family, 'gone', tx.now())}
    ${family.followedAs ? sql`, note as (${noted(family.followedAs, 'gone', tx.now())})` : nothing}
    select json_build_object('id', id)::text as json from gone`);
  return json ?? refuseNotFound();
};

const picturesOf = ({ columns }: RowFamily) =>
  Object.entries(columns).flatMap(([column, { picture }]) => (picture ? [{ column, ...picture }] : []));
/** CTE, after others: removes pictures that rows of `was` show and rows of `kept` do not. */
export const picturesRemoved = (family: RowFamily, was: string, now: string, kept?: string): Sql => {
  const columns = picturesOf(family).map(({ column }) => column);
  return columns.length > 0 ? sql`, pictures as (${removedPictures(columns, was, kept, now)})` : nothing;
};
/** Stores the pictures of a body; `write` gets them as values. When it fails, no file stays behind. */
export const storingPictures = <Body extends Values, Result>(
  { tx, services }: Pick<Call, 'tx' | 'services'>,
  family: RowFamily,
  body: Body,
  write: (values: Body) => Promise<Result>,
): Promise<Result> => {
  const columns = picturesOf(family);
  const files = columns.map(({ field }) => [field, body[field] as PictureField]);
  return withPictures(services.storage, tx.organisation_id, Object.fromEntries(files), (keys) =>
    write({ ...body, ...Object.fromEntries(columns.map(({ column, field }) => [column, keys[field]])) }),
  );
};

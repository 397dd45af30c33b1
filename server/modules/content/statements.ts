// The statements that write content: each changes the row, the list's counts and the outbox together. A family's
// columns say what is in them.

import type { Key } from '../../kernel/contract/contract.ts';
import { noted } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, recounted } from '../../kernel/data/listing.ts';
import { inserted, replaced, touched, type Values } from '../../kernel/data/rows.ts';
import { joined, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { insertedAudience, repostedAudience } from '../audiences/queries.ts';
import { isKey } from './access.ts';
import type { ContentFamily, Reading } from './family.ts';
import { reachOf } from './reach.ts';
import { announced, languagesOf, organisationsLanguage, shownRows } from './shown.ts';

const rowOf = ({ name }: ContentFamily, id: number) =>
  sql`select * from ${trusted(name)} where organisation_id = $1 and id = ${id}`;
/** Assignments of every change of the row `t`. */
export const changing = ({ changing = nothing }: ContentFamily, now: string) => sql`${touched(now)}${changing}`;

/** One row as its reader sees it; undefined: they do not. */
export const findContent = (
  tx: Tx,
  family: ContentFamily,
  key: Key,
  reading: Reading & { actor: Actor },
  more = nothing,
) =>
  tx.json(
    shownRows(
      family,
      sql`(
        select * from ${trusted(family.name)} t
        where t.organisation_id = $1 and ${isKey(key)} and ${family.sees(reading.actor)})`,
      reading,
      sql`${languagesOf(family)}${more}`,
    ),
  );
/** As written a moment ago by the same request, in the language in which it wrote. */
export const getContent = (tx: Tx, family: ContentFamily, id: number, actor: Actor, language?: string) =>
  tx.json(shownRows(family, sql`(${rowOf(family, id)})`, { now: tx.now(), actor, language })) as Promise<Json>;

export interface NewRow {
  creator_id: number;
  created_at: string | undefined;
  audience: AudienceTargets;
  /** Columns that only a new row is given. */
  initial?: Values | undefined;
}
/** How far it reaches is kept with what is posted. */
const targeted = ({ columns }: ContentFamily, audience: AudienceTargets | undefined): Values =>
  audience
    ? { audience_type: audience.type, ...('list_class' in columns ? { list_class: reachOf(audience) } : {}) }
    : {};
const insertedRow = (family: ContentFamily, values: Values, row: NewRow, now: string) => {
  const { creator_id, created_at = now, audience, initial = {} } = row;
  const others = Object.entries(initial).filter(([name]) => !(name in family.columns));
  const language = values.language ?? trusted(organisationsLanguage);
  const own = { ...values, ...initial, ...targeted(family, audience), language };
  return inserted(family, own, { creator_id, created_at, updated_at: now, ...Object.fromEntries(others) });
};

/** The row with its audience, announced to nobody yet. `also` are CTEs over the row `added`. */
export const insertContent = async (tx: Tx, family: ContentFamily, values: Values, row: NewRow, also = nothing) =>
  (await tx.value<number>(sql`
    with added as (${insertedRow(family, values, row, tx.now())}),
    audience as (${insertedAudience(family.noun, 'added', row.audience, family.postedAt)}),
    ${also}
    change as (${counted(family.list, 'added', 1)})
    select id from added`)) as number;

/** For everybody, and announced at once: row, event and count in one statement. */
export const insertAnnounced = (tx: Tx, family: ContentFamily, values: Values, row: NewRow) =>
  tx.json(sql`
    with added as (${insertedRow(family, values, row, tx.now())}),
    ${announced(family, 'added', tx.now())},
    event as (${emitted(family.events.added, 'shown', tx.now())}),
    change as (${counted(family.list, 'added', 1)})
    select json::text from shown`) as Promise<Json>;

/** Emits the event with the content as it is now; answers what the actor sees of it, in this language. */
export const announce = (tx: Tx, family: ContentFamily, id: number, actor: Actor, event: Event, language?: string) => {
  const now = tx.now();
  return tx.json(sql`
    with row as (${rowOf(family, id)}), ${announced(family, 'row', now)},
    event as (${emitted(event, 'shown', now)})
    ${shownRows(family, trusted('row'), { now, actor, language })}`) as Promise<Json>;
};

/**
 * Undefined: nothing changed, so nothing was written. What a kept column's value does not say stays, and so does the
 * audience. `is_moved`: it is in another bucket of its list.
 */
export const replaceRow = (
  tx: Tx,
  family: ContentFamily,
  id: number,
  values: Values,
  audience: AudienceTargets | undefined,
): Promise<{ is_moved: boolean } | undefined> => {
  const { replacing = nothing } = family;
  const own = { ...values, ...targeted(family, audience) };
  return tx.row(sql`
    with ${replaced(family, id, own, { set: sql`${changing(family, tx.now())}${replacing}` })},
    ${recounted(family.list)},
    note as (${noted(family.noun, movedRows(family), tx.now())})
    select was.list_bucket <> changed.list_bucket as is_moved from was join changed on changed.id = was.id`);
};

/** Rows `was` and `changed` that others see now: of another reach, or in another space, which is a page's bucket. */
export const movedRows = ({ noun }: Pick<ContentFamily, 'noun'>) => {
  const seen = noun === 'page' ? ['list_class', 'list_bucket'] : ['list_class'];
  const of = (alias: string) => seen.map((column) => `${alias}.${column}`).join(', ');
  return `(select changed.id from was join changed on changed.id = was.id
      where (${of('was')}) is distinct from (${of('changed')}))`;
};

/** For a change beside the row itself, which receivers must notice. */
export const touchContent = (tx: Tx, family: ContentFamily, id: number) =>
  tx.rows(sql`
    update ${trusted(family.name)} t set ${changing(family, tx.now())} where t.organisation_id = $1 and t.id = ${id}`);

/** Returns whether the translation is new or other than before. */
export const replaceTranslation = (tx: Tx, family: ContentFamily, id: number, language: string, values: Values) => {
  const words = Object.entries(family.columns).filter(([, { isTranslated }]) => isTranslated);
  const listed = (alias: string) => trusted(words.map(([name]) => alias + name).join(', '));
  const given = words.map(([name, { otherwise }]) => sql`${values[name] ?? otherwise}`);
  const [table, own] = [trusted(`${family.noun}_translations`), trusted(`${family.noun}_id`)];
  return tx.any(sql`
    with written as (
      insert into ${table} as x (organisation_id, ${own}, language, updated_at, ${listed('')})
      values ($1, ${id}, ${language}, ${tx.now()}, ${joined(given)})
      on conflict (organisation_id, ${own}, language) do update
      set (updated_at, ${listed('')}) = (excluded.updated_at, ${listed('excluded.')})
      where (${listed('x.')}) is distinct from (${listed('excluded.')})
      returning x.${own} as id)
    update ${trusted(family.name)} t set ${changing(family, tx.now())}
    from written where t.organisation_id = $1 and t.id = written.id returning t.id`);
};

/** CTE after `changed`: its audience knows when it reached them. */
export const reposted = ({ noun, postedAt }: ContentFamily) =>
  postedAt ? sql`audience as (${repostedAudience(noun, 'changed', postedAt)}),` : nothing;

/** Changes the rows that `which` selects for update, as `t`; announces them. Returns how many. */
export const moveContent = async (tx: Tx, family: ContentFamily, which: Sql, set: Sql, event: Event, now = tx.now()) =>
  (
    await tx.rows(sql`
    with was as (${which}),
    changed as (
      update ${trusted(family.name)} t set ${set}, ${changing(family, now)}
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    ${recounted(family.list)},
    ${reposted(family)}
    ${announced(family, 'changed', now)},
    event as (${emitted(event, 'shown', now)})
    select id from changed`)
  ).length;

/** Removes the rows that `which` selects for update; one event each. Returns their ids: none when there is nothing. */
export const deleteRows = (tx: Tx, family: ContentFamily, root_id: number, which = rowOf(family, root_id)) => {
  const now = tx.now();
  const last = `(select s.* from shown s where exists (select from gone))`;
  const remaining = family.remains
    ? sql`(select ${family.remains} as json, s.is_public, s.space_id from ${trusted(last)} s)`
    : trusted(last);
  return tx.values<number>(sql`
    with doomed as (${which} for update),
    ${announced(family, 'doomed', now)},
    gone as (
      delete from ${trusted(family.name)} t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    event as (${emitted(family.events.deleted, remaining, now)}),
    change as (${counted(family.list, 'gone', -1)}),
    tombstone as (${tombstones(family.noun, root_id, 'gone', now)}),
    note as (${noted(family.noun, 'gone', now)})
    select id from gone`);
};

import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type PictureChange, pictureAfter, pictureUrl, removedPictures } from '../pictures/queries.ts';

const goalsList: Listing = { table: 'goals', at: null, id: 'id', newestFirst: false };

const shownOf = (goals: Sql) => sql`
  select row_to_json(r) as json from (
    select g.id, g.title, g.description, g.colour, ${trusted(pictureUrl('g.image_key'))} as image, g.is_active, iso(g.created_at) as created_at, iso(g.updated_at) as updated_at, o.web_url || '/goals/' || g.id as permalink
    from ${goals} g join organisations o on o.id = g.organisation_id) r`;
const shown = (goals: Sql) => sql`select json::text as json from (${shownOf(goals)}) s`;
/** SQL: the goal whose id this is, as other resources show it; null for none. */
export const goalOf = (id: string): Sql =>
  sql`(${shownOf(sql`(select * from goals where organisation_id = $1 and id = ${trusted(id)})`)})`;

export const listGoals = (tx: Tx, { skip, take, is_active }: { skip: number; take: number; is_active?: boolean }) =>
  listRows(
    tx,
    goalsList,
    { skip, take, ...everyRow, where: is_active === undefined ? [] : [sql`t.is_active = ${is_active}`] },
    shown(sql`(select * from goals where organisation_id = $1 and id = listed.id)`),
  );
export const findGoal = (tx: Tx, id: number) =>
  tx.json(shown(sql`(select * from goals where organisation_id = $1 and id = ${id})`));

export interface GoalFields {
  title: string;
  description?: string | undefined;
  colour?: string | null | undefined;
  is_active?: boolean | undefined;
  image_key: PictureChange;
}
const values = (goal: GoalFields) =>
  sql`${goal.title}, ${goal.description ?? ''}, ${goal.colour ?? null}, ${goal.is_active ?? true}::boolean`;

export const insertGoal = (tx: Tx, goal: GoalFields & { created_at?: string | undefined }) =>
  tx.json(sql`
    with added as (
      insert into goals (organisation_id, title, description, colour, is_active, image_key, created_at, updated_at)
      values ($1, ${values(goal)}, ${goal.image_key ?? null}, ${goal.created_at ?? tx.now()}, ${tx.now()}) returning *)
    ${shown(trusted('added'))}`) as Promise<Json>;
export const updateGoal = (tx: Tx, id: number, goal: GoalFields) =>
  tx.json(sql`
    with was as (select * from goals where organisation_id = $1 and id = ${id} for update),
    changed as (
      update goals t set (title, description, colour, is_active) = (${values(goal)}), image_key = ${pictureAfter('image_key', goal.image_key)},
        updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond')
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    pictures as (${removedPictures(['image_key'], 'was', 'changed', tx.now())})
    ${shown(trusted('changed'))}`);
export const deleteGoal = (tx: Tx, id: number) =>
  tx.json(sql`
    with gone as (delete from goals where organisation_id = $1 and id = ${id} returning *),
    pictures as (${removedPictures(['image_key'], 'gone', undefined, tx.now())})
    select json_build_object('id', id)::text as json from gone`);

import { refuse, refuseForbidden, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { isModerator } from '../content/access.ts';
import { seesInside, spaceFor } from '../spaces/access.ts';

/** SQL: the document or folder `t` is in no space, or in one whose inside the actor sees. */
export const inVisibleSpace = (actor: Actor): Sql => sql`(t.space_id is null or exists (
  select from spaces s where s.organisation_id = $1 and s.id = t.space_id and ${seesInside(actor, trusted('s'))}))`;

/** May the actor put documents into the space, and change those that are there? Null is the area for everybody. */
export async function refuseUnlessMayWrite(tx: Tx, actor: Actor, space_id: number | null, path = 'space_id') {
  if (space_id === null) {
    const may = actor.kind === 'key' ? holds(actor.scopes, 'documents.*.write') : isModerator(actor);
    return may ? undefined : refuseForbidden('Only moderators and admins change documents for everybody.');
  }
  const space = await spaceFor(tx, actor, space_id, 'edit_documents').catch((error) => {
    if (error.code !== 'not_found') throw error;
    return refuse('space_not_found', 'There is no such space, or you may not see it.', { path });
  });
  if (space.is_archived) refuse('space_archived', 'The space is archived; bring it back first.', { path });
}

/** Where a document or a folder is. */
export interface Place {
  id: number;
  space_id: number | null;
  /** The folder that it is in. */
  folder_id: number | null;
}
const findPlace = (tx: Tx, actor: Actor, table: string, folder: string, id: number) =>
  tx.row<Place>(sql`
    select t.id, t.space_id, t.${trusted(folder)} as folder_id from ${trusted(table)} t
    where t.organisation_id = $1 and t.id = ${id} and ${inVisibleSpace(actor)}`);
export const findFolder = (tx: Tx, actor: Actor, id: number) =>
  findPlace(tx, actor, 'document_folders', 'parent_id', id);

/** The document, or the folder, if the actor may change it. */
export async function documentFor(tx: Tx, actor: Actor, id: number): Promise<Place> {
  const place = (await findPlace(tx, actor, 'documents', 'location_id', id)) ?? refuseNotFound();
  await refuseUnlessMayWrite(tx, actor, place.space_id);
  return place;
}
export async function folderFor(tx: Tx, actor: Actor, id: number): Promise<Place> {
  const place = (await findFolder(tx, actor, id)) ?? refuseNotFound();
  await refuseUnlessMayWrite(tx, actor, place.space_id);
  return place;
}

interface Located {
  location_id?: number | null;
  space_id?: number | null;
}
/** Where a body puts a document, if the actor may. */
export async function locationFor(tx: Tx, actor: Actor, { location_id = null, space_id = null }: Located) {
  if (location_id === null) {
    await refuseUnlessMayWrite(tx, actor, space_id);
    return { location_id, space_id };
  }
  const folder =
    (await findFolder(tx, actor, location_id)) ??
    refuse('location_not_found', 'There is no such folder, or you may not see it.', { path: 'location_id' });
  if (space_id !== null && space_id !== folder.space_id) refuseInvalid('space_id', 'must be the space of the folder');
  await refuseUnlessMayWrite(tx, actor, folder.space_id, 'location_id');
  return { location_id, space_id: folder.space_id };
}

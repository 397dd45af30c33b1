// Files and links in folders, for everybody or of a space.
import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import { forget, put } from '../../kernel/rows.ts';

export type Document = ReplyOf<Contract['GET /v1/documents/{id}']>;
export type Folder = ReplyOf<Contract['GET /v1/documents/folders/{id}']>;
/** A folder; without one the top of the space, or of what is for everybody. */
export interface Place {
  space_id: number | null;
  folder_id: number | null;
}
const keyOf = ({ space_id, folder_id }: Place) => `documents/${space_id ?? ''}/${folder_id ?? ''}`;
const atTop = (space_id: number | null) => (space_id === null ? { is_for_everybody: true } : {});

export const documentsAt = (place: Place) =>
  list(keyOf(place), 'documents', (skip, take) => {
    const { space_id, folder_id } = place;
    const inSpace = space_id === null ? {} : { space_ids: [String(space_id)] };
    const where = folder_id === null ? { is_at_top: true, ...atTop(space_id), ...inSpace } : { location_id: folder_id };
    return call('GET /v1/documents', { query: { skip, take, ...where } });
  });
export const foldersAt = (place: Place) =>
  list(`folders/${keyOf(place)}`, 'folders', (skip, take) => {
    const { space_id, folder_id } = place;
    const inSpace = space_id === null ? {} : { space_id };
    const where = folder_id === null ? { is_at_top: true, ...atTop(space_id), ...inSpace } : { parent_id: folder_id };
    return call('GET /v1/documents/folders', { query: { skip, take, ...where } });
  });
const refresh = (...places: Place[]) =>
  Promise.all(places.flatMap((place) => [documentsAt(place).refresh(), foldersAt(place).refresh()]));

export const readDocument = (id: number) => call('GET /v1/documents/{id}', { params: { id } });

/** The folder and those above it, from the top. */
export async function pathTo(folder_id: number): Promise<Folder[]> {
  const path: Folder[] = [];
  for (let id: number | null = folder_id; id !== null; ) {
    const { data }: { data: Folder } = await call('GET /v1/documents/folders/{id}', { params: { id } });
    path.unshift(data);
    id = data.parent_id;
  }
  return path;
}
/** Where something of the space can be moved to. */
export async function foldersOf(space_id: number | null): Promise<Folder[]> {
  const where = space_id === null ? { is_for_everybody: true } : { space_id };
  return (await call('GET /v1/documents/folders', { query: { take: 100, ...where } })).data;
}

export async function addFolder(place: Place, name: string) {
  const { space_id, folder_id: parent_id } = place;
  await call('POST /v1/documents/folders', { body: { name, parent_id, ...(parent_id ? {} : { space_id }) } });
  await refresh(place);
}
export async function changeFolder({ id, space_id, parent_id, description }: Folder, name: string, to: number | null) {
  await call('PUT /v1/documents/folders/{id}', { params: { id }, body: { name, description, parent_id: to } });
  await refresh({ space_id, folder_id: parent_id }, { space_id, folder_id: to });
}
export async function deleteFolder({ id, space_id, parent_id }: Folder) {
  await call('DELETE /v1/documents/folders/{id}', { params: { id } });
  foldersAt({ space_id, folder_id: parent_id }).remove('folders', id);
}

export async function addDocument(place: Place, label: string, asset_id: number) {
  const { space_id, folder_id: location_id } = place;
  const body = { label: label.slice(0, 255), asset_id, location_id, ...(location_id ? {} : { space_id }) };
  const { data } = await call('POST /v1/documents', { body });
  documentsAt(place).prepend('documents', data);
}
export async function changeDocument(document: Document, label: string, to: number | null) {
  const { id, space_id, location_id, description } = document;
  const body = { label, description, location_id: to, ...(to === null ? { space_id } : {}) };
  put('documents', (await call('PUT /v1/documents/{id}', { params: { id }, body })).data);
  if (to !== location_id) await refresh({ space_id, folder_id: location_id }, { space_id, folder_id: to });
}
export async function deleteDocument({ id, space_id, location_id }: Document) {
  await call('DELETE /v1/documents/{id}', { params: { id } });
  documentsAt({ space_id, folder_id: location_id }).remove('documents', id);
  forget('documents', id);
}

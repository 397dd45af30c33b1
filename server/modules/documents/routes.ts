import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { UploadedFile } from '../../kernel/contract/schema.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce, tooLate } from '../../kernel/data/deletion.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { checkAssets, uploadsOf, withFiles } from '../assets/access.ts';
import { attachFiles, detachFiles, insertAssets, type StagedFile } from '../assets/queries.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { placeFor } from './access.ts';
import { documents, type NewFolder, type WrittenDocument } from './contract.ts';
import { documentCreated, documentUpdated } from './events.ts';
import * as queries from './queries.ts';

export const documentRoutes = routes(documents, {
  listDocuments: ({ tx, actor, query }) => queries.listDocuments(tx, actor, query),
  getDocument: async ({ tx, actor, params }) => (await queries.findDocument(tx, actor, params.id)) ?? refuseNotFound(),
  createDocument: (call) => {
    const { body } = call;
    if (sourcesIn(body).length !== 1) refuseInvalid('document', 'is required: exactly one of a file, asset_id and url');
    return withDocument(call, body, (staged) =>
      call.tx.transaction(async (tx) => {
        const place = await placeOf(tx, call.actor, body);
        const creator_id = await authorOf(tx, call.actor, body);
        const id = await queries.insertDocument(
          tx,
          { ...body, ...place },
          creator_id,
          importedAt(tx, call.actor, body.created_at),
        );
        await attach(tx, call.actor, id, body, staged);
        return queries.announce(tx, id, documentCreated);
      }),
    );
  },
  replaceDocument: (call) => {
    const { body } = call;
    if (sourcesIn(body).length > 1) refuseInvalid('document', 'must be one of a file, asset_id and url');
    return withDocument(call, body, (staged) =>
      call.tx.transaction(async (tx) => {
        const { id, folder_id, space_id } = await documentFor(tx, call.actor, call.params.id);
        const isMoved = body.location_id !== undefined || body.space_id !== undefined;
        const place = isMoved ? await placeOf(tx, call.actor, body) : { location_id: folder_id, space_id };
        const isFile = staged.length > 0 || body.asset_id !== undefined;
        const changed = await queries.updateDocument(tx, id, { ...body, ...place, url: isFile ? null : body.url });
        const filed = (isFile || body.url !== undefined) && (await attach(tx, call.actor, id, body, staged));
        if (filed && !changed) await queries.touchDocument(tx, id);
        return changed || filed ? queries.announce(tx, id, documentUpdated) : queries.getDocument(tx, id);
      }),
    );
  },
  deleteDocument: async (call) => {
    const { tx, actor, params, client } = call;
    await documentFor(tx, actor, params.id).catch((error) =>
      error.code === 'not_found' ? tooLate(tx, 'document', params.id, client.received_micros) : Promise.reject(error),
    );
    await deleteOnce(call, 'document', params.id, async (inside) => {
      const deleted = await queries.deleteDocument(inside, params.id);
      await detachFiles(inside, 'document', [params.id]);
      return deleted;
    });
    return toJson({ id: params.id });
  },

  listFolders: ({ tx, actor, query }) => queries.listFolders(tx, actor, query),
  getFolder: async ({ tx, actor, params }) => (await queries.findFolder(tx, actor, params.id)) ?? refuseNotFound(),
  createFolder: ({ tx, actor, body }) =>
    tx.transaction(async (inside) => {
      const { space_id } = await parentOf(inside, actor, body);
      await placeFor(inside, actor, space_id);
      return queries.insertFolder(inside, { ...body, parent_id: body.parent_id ?? null, space_id }, actor.user_id);
    }),
  replaceFolder: ({ tx, actor, params, body }) =>
    tx.transaction(async (inside) => {
      const folder = await folderFor(inside, actor, params.id);
      await queries.lockTree(inside, folder.space_id);
      const parent_id = body.parent_id === undefined ? folder.folder_id : body.parent_id;
      if (parent_id !== null && parent_id !== folder.folder_id) {
        await parentOf(inside, actor, { parent_id, space_id: folder.space_id });
        if (await queries.isBelow(inside, folder.id, parent_id))
          refuseInvalid('parent_id', 'must not be the folder itself or below it');
      }
      return queries.updateFolder(inside, folder.id, { ...body, parent_id });
    }),
  deleteFolder: async ({ tx, actor, params }) => {
    const folder = await folderFor(tx, actor, params.id);
    const [gone] = await queries
      .deleteFolder(tx, folder.id)
      .catch((error) =>
        error.code === '23503'
          ? refuse('folder_not_empty', 'The folder holds documents or folders. Move or delete them first.')
          : Promise.reject(error),
      );
    return gone ? toJson(gone) : refuseNotFound();
  },
});

const sourcesIn = ({ document, file, asset_id, url }: Omit<WrittenDocument, 'label'>) =>
  [document ?? file, asset_id, url].filter((source) => source !== undefined);

/** Checks and stores the file of a body before it is written. */
const withDocument = (
  call: Pick<Call, 'tx' | 'services'>,
  { document, file }: { document?: UploadedFile; file?: UploadedFile },
  write: (staged: StagedFile[]) => Promise<Json>,
) =>
  withFiles(
    call,
    [...uploadsOf('document', 'any', document), ...(document ? [] : uploadsOf('file', 'any', file))],
    write,
  );

/** The document's file from now on: what was uploaded, what is named, or none beside a link. */
async function attach(tx: Tx, actor: Actor, id: number, { asset_id }: { asset_id?: number }, staged: StagedFile[]) {
  const named = asset_id === undefined ? [] : [asset_id];
  await checkAssets(tx, actor, [{ field: 'asset_id', accepts: 'any', ids: named, single: true }], {
    kind: 'document',
    id,
  });
  return attachFiles(tx, 'document', id, 'file', [...named, ...(await insertAssets(tx, staged, actor.user_id))]);
}

/** Where a body puts a document, if the actor may. */
async function placeOf(
  tx: Tx,
  actor: Actor,
  { location_id = null, space_id = null }: { location_id?: number | null; space_id?: number | null },
) {
  if (location_id === null) {
    await placeFor(tx, actor, space_id);
    return { location_id, space_id };
  }
  const folder = await queries.findPlace(tx, actor, 'document_folders', location_id);
  if (!folder)
    return refuse('location_not_found', 'There is no such folder, or you may not see it.', { path: 'location_id' });
  if (space_id !== null && space_id !== folder.space_id) refuseInvalid('space_id', 'must be the space of the folder');
  await placeFor(tx, actor, folder.space_id, 'location_id');
  return { location_id, space_id: folder.space_id };
}

async function documentFor(tx: Tx, actor: Actor, id: number) {
  const document = (await queries.findPlace(tx, actor, 'documents', id)) ?? refuseNotFound();
  await placeFor(tx, actor, document.space_id);
  return document;
}
async function folderFor(tx: Tx, actor: Actor, id: number) {
  const folder = (await queries.findPlace(tx, actor, 'document_folders', id)) ?? refuseNotFound();
  await placeFor(tx, actor, folder.space_id);
  return folder;
}

/** The space of a new or moved folder: its parent's. */
async function parentOf(tx: Tx, actor: Actor, { parent_id, space_id }: Pick<NewFolder, 'parent_id' | 'space_id'>) {
  if (parent_id == null) return { space_id: space_id ?? null };
  const parent = await queries.findPlace(tx, actor, 'document_folders', parent_id);
  if (!parent || (space_id !== undefined && space_id !== parent.space_id))
    return refuse('parent_not_found', 'There is no such folder in the same space.', { path: 'parent_id' });
  return { space_id: parent.space_id };
}

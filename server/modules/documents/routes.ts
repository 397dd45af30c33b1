import { refuse, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce, unlessDeleted } from '../../kernel/data/deletion.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { checkAssets, uploadsOf, withFiles } from '../assets/access.ts';
import { attachFiles, detachFiles, insertAssets } from '../assets/queries.ts';
import { deleteRow, getRow, getWritten, replaceRow } from '../pictures/rows.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { documentFor, findFolder, folderFor, locationFor, refuseUnlessMayWrite } from './access.ts';
import { documents, type WrittenDocument } from './contract.ts';
import { documentCreated, documentUpdated } from './events.ts';
import { folderFamily, insertFolder, isBelow, listFolders, lockTree } from './folders.ts';
import * as queries from './queries.ts';

export const documentRoutes = routes(documents, {
  listDocuments: ({ tx, actor, query }) => queries.listDocuments(tx, actor, query),
  getDocument: ({ tx, actor, params }) => getRow(tx, queries.documentFamily, params.id, actor),
  createDocument: (call) => {
    const { actor, body } = call;
    if (sourcesIn(body).length !== 1) refuseInvalid('document', 'is required: exactly one of a file, asset_id and url');
    return withDocument(call, body, async (tx, attach) => {
      const location = await locationFor(tx, actor, body);
      const creator_id = await authorOf(tx, actor, body);
      const created_at = importedAt(tx, actor, body.created_at);
      const id = await queries.insertDocument(tx, { ...body, ...location }, creator_id, created_at);
      await attach(id);
      return queries.announce(tx, id, documentCreated);
    });
  },
  replaceDocument: (call) => {
    const { actor, body, params } = call;
    const sources = sourcesIn(body);
    if (sources.length > 1) refuseInvalid('document', 'must be one of a file, asset_id and url');
    return withDocument(call, body, async (tx, attach) => {
      const { id, folder_id, space_id } = await documentFor(tx, actor, params.id);
      const isMoved = body.location_id !== undefined || body.space_id !== undefined;
      const location = isMoved ? await locationFor(tx, actor, body) : { location_id: folder_id, space_id };
      // A file takes the place of a link.
      const url = sources.length > 0 && body.url === undefined ? null : body.url;
      const isRewritten = await queries.updateDocument(tx, id, { ...body, ...location, url });
      const isFiled = sources.length > 0 && (await attach(id));
      if (isFiled && !isRewritten) await queries.touchDocument(tx, id);
      return isRewritten || isFiled
        ? queries.announce(tx, id, documentUpdated)
        : getWritten(tx, queries.documentFamily, id, actor);
    });
  },
  deleteDocument: async (call) => {
    const { tx, actor, params } = call;
    const { id } = await unlessDeleted(call, 'document', params.id, () => documentFor(tx, actor, params.id));
    await deleteOnce(call, 'document', id, async (inside) => {
      const deleted = await queries.deleteDocument(inside, id);
      await detachFiles(inside, 'document', [id]);
      return deleted;
    });
    return toJson({ id });
  },

  listFolders: ({ tx, actor, query }) => listFolders(tx, actor, query),
  getFolder: ({ tx, actor, params }) => getRow(tx, folderFamily, params.id, actor),
  createFolder: ({ tx, actor, body }) =>
    tx.transaction(async (inside) => {
      const { parent_id = null } = body;
      const space_id =
        parent_id === null ? (body.space_id ?? null) : await spaceOf(inside, actor, parent_id, body.space_id);
      await refuseUnlessMayWrite(inside, actor, space_id);
      return insertFolder(inside, { ...body, parent_id, space_id }, actor.user_id);
    }),
  replaceFolder: ({ tx, actor, params, body }) =>
    tx.transaction(async (inside) => {
      const { id, space_id, folder_id } = await folderFor(inside, actor, params.id);
      await lockTree(inside, space_id);
      const { parent_id = folder_id } = body;
      if (parent_id !== null && parent_id !== folder_id) {
        await spaceOf(inside, actor, parent_id, space_id);
        if (await isBelow(inside, id, parent_id))
          refuseInvalid('parent_id', 'must not be the folder itself or below it');
      }
      return replaceRow(inside, folderFamily, id, { ...body, parent_id });
    }),
  deleteFolder: async ({ tx, actor, params }) => {
    const { id } = await folderFor(tx, actor, params.id);
    return deleteRow(tx, folderFamily, id).catch((error) => {
      if (error.code !== '23503') throw error;
      return refuse('folder_not_empty', 'The folder holds documents or folders. Move or delete them first.');
    });
  },
});

type Sources = Pick<WrittenDocument, 'document' | 'file' | 'asset_id' | 'url'>;
const sourcesIn = ({ document, file, asset_id, url }: Sources) =>
  [document ?? file, asset_id, url].filter((source) => source !== undefined);

/**
 * Checks and stores the file of a body, then writes. `attach` makes it, the asset that is named, or none beside a link
 * the document's file from now on; it returns whether that is other than before.
 */
const withDocument = (
  call: Pick<Call, 'tx' | 'actor' | 'services'>,
  { document, file, asset_id }: Sources,
  write: (tx: Tx, attach: (id: number) => Promise<boolean>) => Promise<Json>,
) => {
  const uploads = document ? uploadsOf('document', 'any', document) : uploadsOf('file', 'any', file);
  return withFiles(call, uploads, (staged) =>
    call.tx.transaction((tx) =>
      write(tx, async (id) => {
        const ids = asset_id === undefined ? [] : [asset_id];
        const mention = { field: 'asset_id', accepts: 'any', ids, single: true } as const;
        await checkAssets(tx, call.actor, [mention], { kind: 'document', id });
        const stored = await insertAssets(tx, staged, call.actor.user_id);
        return attachFiles(tx, 'document', id, 'file', [...ids, ...stored]);
      }),
    ),
  );
};

/** The space of this folder, in which another one is put; it must be the one that is asked for. */
async function spaceOf(tx: Tx, actor: Actor, parent_id: number, asked: number | null | undefined) {
  const parent = await findFolder(tx, actor, parent_id);
  if (!parent || (asked !== undefined && asked !== parent.space_id))
    return refuse('parent_not_found', 'There is no such folder in the same space.', { path: 'parent_id' });
  return parent.space_id;
}

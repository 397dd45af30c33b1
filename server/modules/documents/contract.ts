import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { fileErrors } from '../assets/contract.ts';
import { authorship, Person } from '../content/contract.ts';
import { rowContract } from '../pictures/contract.ts';

/** docs/interface.md, Document. */
export const Document = t.Object(
  {
    id: t.Id(),
    label: t.Text(255),
    description: t.Text(2000),
    document: t.Object(
      {
        url: t.Url('Of a file signed, and expiring; else the external link.'),
        asset_id: t.Nullable(t.Id()),
        file_name: t.Nullable(t.Text(255)),
        content_type: t.Nullable(t.Text(127)),
        byte_size: t.Nullable(t.Integer()),
      },
      { title: 'DocumentFile' },
    ),
    location_id: t.Nullable(t.Id('The folder; null: at the top.')),
    space_id: t.Nullable(t.Id('Null: for everybody.')),
    creator: Person,
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
    sequence: t.Integer({ description: 'Ever-increasing; orders changes with equal timestamps.' }),
    permalink: t.Url(),
  },
  { title: 'Document' },
);
export const Folder = t.Object(
  {
    id: t.Id(),
    name: t.Text(255),
    description: t.Text(2000),
    parent_id: t.Nullable(t.Id()),
    space_id: t.Nullable(t.Id('Null: for everybody.')),
    creator_id: t.Id(),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
  },
  { title: 'Folder' },
);

const written = {
  label: t.RequiredText(255),
  description: t.Optional(t.Text(2000)),
  location_id: t.Optional(t.Nullable(t.Id('The folder. Null: at the top.'))),
  space_id: t.Optional(
    t.Nullable(t.Id('Where location_id is not given: at the top of this space. Null: of what is for everybody.')),
  ),
  document: t.Optional(t.File('The file.')),
  file: t.Optional(t.Deprecated(t.File('The same as document.'))),
  asset_id: t.Optional(t.Id('A file that was uploaded before.')),
  url: t.Optional(t.Link('An external link instead of a file.')),
};
const NewDocument = t.Object({ ...written, ...authorship });
export type WrittenDocument = t.Static<typeof NewDocument>;
const placeErrors = { location_not_found: 400, space_not_found: 400, space_archived: 409 } as const;
const document = rowContract(Document, written, {
  documented: 'multipart',
  errors: { ...placeErrors, user_not_found: 400, ...fileErrors },
});

const folderFields = {
  name: t.RequiredText(255),
  description: t.Optional(t.Text(2000)),
  parent_id: t.Optional(t.Nullable(t.Id('The folder that it is in; of the same space.'))),
};
const space_id = t.Optional(t.Nullable(t.Id('Omitted: the parent’s, or for everybody.')));
const folder = rowContract(Folder, folderFields, {
  errors: { parent_not_found: 400, space_not_found: 400, name_taken: 409, space_archived: 409 },
});

/** What stands at one place of the tree. */
const atPlace = {
  is_at_top: t.Optional(t.Flag('1: those in no folder.')),
  is_for_everybody: t.Optional(t.Flag('1: those in no space.')),
};

export const documents = family('documents', 'Files and links in a tree of folders, for everybody or for a space.', {
  listDocuments: endpoint('GET /v1/documents', 'List documents', {
    description: 'Newest first: metadata and addresses.',
    query: t.Object({
      location_id: t.Optional(t.Id('In this folder.')),
      ...atPlace,
      space_ids: t.Optional(t.IdListOrAll('Of these spaces, or of `all` that the caller can access.')),
      in_spaces: t.Optional(t.Deprecated(t.IdListOrAll('The same as space_ids.'))),
      creator_id: t.Optional(t.Id()),
      created_after: t.Optional(t.Timestamp()),
      created_before: t.Optional(t.Timestamp()),
    }),
    list: Document,
    example: { query: { take: 10 } },
  }),
  getDocument: endpoint('GET /v1/documents/{id}', 'Read a document', document.gets),
  createDocument: endpoint('POST /v1/documents', 'Add a document', {
    ...document.creates,
    description: 'A file, a file that was uploaded before, or a link.',
    body: NewDocument,
    emits: ['document.created'],
    example: { body: { label: 'Store plan', url: 'https://example.org/plan.pdf', location_id: 1 } },
  }),
  replaceDocument: endpoint('PUT /v1/documents/{id}', 'Replace a document', {
    ...document.replaces,
    description:
      'An omitted description is cleared; its place (location_id, space_id) and its file or link are kept. Equal ' +
      'values change nothing.',
    emits: ['document.updated'],
    example: { params: { id: 1 }, body: { label: 'Price list', location_id: 1 } },
  }),
  deleteDocument: endpoint('DELETE /v1/documents/{id}', 'Delete a document', {
    ...document.deletes,
    description: 'With its file. Of DELETEs that overlap one gets 200, the others 409.',
    errors: { concurrent_delete: 409, space_archived: 409 },
    emits: ['document.deleted'],
  }),
  listFolders: endpoint('GET /v1/documents/folders', 'List folders', {
    description: 'Ordered by id. parent_id walks the tree.',
    query: t.Object({ parent_id: t.Optional(t.Id()), space_id: t.Optional(t.Id()), ...atPlace }),
    list: Folder,
    example: {},
  }),
  getFolder: endpoint('GET /v1/documents/folders/{id}', 'Read a folder', folder.gets),
  createFolder: endpoint('POST /v1/documents/folders', 'Create a folder', {
    ...folder.creates,
    body: t.Object({ ...folderFields, space_id }),
    example: { body: { name: 'Contracts', parent_id: 1 } },
  }),
  replaceFolder: endpoint('PUT /v1/documents/folders/{id}', 'Rename or move a folder', {
    ...folder.replaces,
    description: 'Within its space; never below itself. Omitted, parent_id is kept; null moves it to the top.',
    example: { params: { id: 1 }, body: { name: 'Prices and plans' } },
  }),
  deleteFolder: endpoint('DELETE /v1/documents/folders/{id}', 'Delete a folder', {
    ...folder.deletes,
    description: 'Only an empty one.',
    errors: { folder_not_empty: 409, space_archived: 409 },
    example: { params: { id: 2 } },
  }),
});

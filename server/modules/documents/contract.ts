import {
  endpoint,
  File,
  family,
  Id,
  IdListOrAll,
  Link,
  Nullable,
  Optional,
  RequiredText,
  Shape,
  type Static,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';
import { fileErrors } from '../assets/contract.ts';
import { authorship, Person } from '../content/contract.ts';

/** Interface 2.6. */
export const Document = Shape(
  {
    id: Id(),
    label: Text(255),
    description: Text(2000),
    document: Shape(
      {
        url: Url('Of a file signed, and expiring; else the external link.'),
        asset_id: Nullable(Id()),
        file_name: Nullable(Text(255)),
        content_type: Nullable(Text(127)),
        byte_size: Nullable(Type.Integer()),
      },
      { title: 'DocumentFile' },
    ),
    location_id: Nullable(Id('The folder; null: at the top.')),
    space_id: Nullable(Id('Null: for everybody.')),
    creator: Person,
    created_at: Timestamp(),
    updated_at: Timestamp(),
    sequence: Type.Integer({ description: 'Ever-increasing; orders changes with equal timestamps.' }),
    permalink: Url(),
  },
  { title: 'Document' },
);
export const Folder = Shape(
  {
    id: Id(),
    name: Text(255),
    description: Text(2000),
    parent_id: Nullable(Id()),
    space_id: Nullable(Id('Null: for everybody.')),
    creator_id: Id(),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Folder' },
);

const written = {
  label: RequiredText(255),
  description: Optional(Text(2000)),
  location_id: Optional(Nullable(Id('The folder. Null: at the top.'))),
  space_id: Optional(
    Nullable(Id('Where location_id is not given: at the top of this space. Null: of what is for everybody.')),
  ),
  document: Optional(File('The file.')),
  file: Optional(File('The same as document.')),
  asset_id: Optional(Id('A file that was uploaded before.')),
  url: Optional(Link('An external link instead of a file.')),
};
const NewDocument = Shape({ ...written, ...authorship });
const DocumentReplacement = Shape(written);
export type WrittenDocument = Static<typeof NewDocument>;
const errors = {
  location_not_found: 400,
  space_not_found: 400,
  user_not_found: 400,
  space_archived: 409,
  ...fileErrors,
} as const;

const folderFields = {
  name: RequiredText(255),
  description: Optional(Text(2000)),
  parent_id: Optional(Nullable(Id('The folder that it is in; of the same space.'))),
};
const NewFolder = Shape({
  ...folderFields,
  space_id: Optional(Nullable(Id('Omitted: the parent’s, or for everybody.'))),
});
export type NewFolder = Static<typeof NewFolder>;
const folderErrors = { parent_not_found: 400, space_not_found: 400, name_taken: 409, space_archived: 409 } as const;

export const documents = family('documents', 'Files and links in a tree of folders, for everybody or for a space.', {
  listDocuments: endpoint({
    method: 'GET',
    path: '/v1/documents',
    summary: 'List documents',
    description: 'Newest first: metadata and addresses.',
    scope: 'documents.*.read',
    query: Shape({
      location_id: Optional(Id('In this folder.')),
      space_ids: Optional(IdListOrAll('Of these spaces, or of `all` that the caller can access.')),
      in_spaces: Optional(IdListOrAll('The same as space_ids.')),
      creator_id: Optional(Id()),
      created_after: Optional(Timestamp()),
      created_before: Optional(Timestamp()),
      updated_after: Optional(Timestamp()),
    }),
    list: Document,
    example: { query: { take: 10 } },
  }),
  getDocument: endpoint({
    method: 'GET',
    path: '/v1/documents/{id}',
    summary: 'Read a document',
    scope: 'documents.*.read',
    reply: Document,
    example: { params: { id: 1 } },
  }),
  createDocument: endpoint({
    method: 'POST',
    path: '/v1/documents',
    summary: 'Add a document',
    description: 'A file, a file that was uploaded before, or a link.',
    scope: 'documents.*.write',
    status: 201,
    body: NewDocument,
    documented: 'multipart',
    reply: Document,
    errors,
    emits: ['document.created'],
    example: { body: { label: 'Store plan', url: 'https://example.org/plan.pdf', location_id: 1 } },
  }),
  replaceDocument: endpoint({
    method: 'PUT',
    path: '/v1/documents/{id}',
    summary: 'Replace a document',
    description:
      'An omitted description is cleared; its place (location_id, space_id) and its file or link are kept. Equal values change nothing.',
    scope: 'documents.*.write',
    body: DocumentReplacement,
    documented: 'multipart',
    reply: Document,
    errors,
    emits: ['document.updated'],
    example: { params: { id: 1 }, body: { label: 'Price list', location_id: 1 } },
  }),
  deleteDocument: endpoint({
    method: 'DELETE',
    path: '/v1/documents/{id}',
    summary: 'Delete a document',
    description: 'With its file. Of DELETEs that overlap one gets 200, the others 409.',
    scope: 'documents.*.write',
    reply: Shape({ id: Id() }),
    errors: { concurrent_delete: 409, space_archived: 409 },
    emits: ['document.deleted'],
    example: { params: { id: 1 } },
  }),
  listFolders: endpoint({
    method: 'GET',
    path: '/v1/documents/folders',
    summary: 'List folders',
    description: 'Ordered by id. parent_id walks the tree.',
    scope: 'documents.*.read',
    query: Shape({ parent_id: Optional(Id()), space_id: Optional(Id()) }),
    list: Folder,
    example: {},
  }),
  getFolder: endpoint({
    method: 'GET',
    path: '/v1/documents/folders/{id}',
    summary: 'Read a folder',
    scope: 'documents.*.read',
    reply: Folder,
    example: { params: { id: 1 } },
  }),
  createFolder: endpoint({
    method: 'POST',
    path: '/v1/documents/folders',
    summary: 'Create a folder',
    scope: 'documents.*.write',
    status: 201,
    body: NewFolder,
    documented: 'json',
    reply: Folder,
    errors: folderErrors,
    example: { body: { name: 'Contracts', parent_id: 1 } },
  }),
  replaceFolder: endpoint({
    method: 'PUT',
    path: '/v1/documents/folders/{id}',
    summary: 'Rename or move a folder',
    description: 'Within its space; never below itself. Omitted, parent_id is kept; null moves it to the top.',
    scope: 'documents.*.write',
    body: Shape(folderFields),
    documented: 'json',
    reply: Folder,
    errors: folderErrors,
    example: { params: { id: 1 }, body: { name: 'Prices and plans' } },
  }),
  deleteFolder: endpoint({
    method: 'DELETE',
    path: '/v1/documents/folders/{id}',
    summary: 'Delete a folder',
    description: 'Only an empty one.',
    scope: 'documents.*.write',
    reply: Shape({ id: Id() }),
    errors: { folder_not_empty: 409, space_archived: 409 },
    example: { params: { id: 2 } },
  }),
});

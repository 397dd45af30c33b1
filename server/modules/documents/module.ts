import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { showsFiles } from '../assets/addresses.ts';
import { followsSpace } from '../spaces/following.ts';
import * as events from './events.ts';
import { documentsList, followVisibility, isInSpace, publicDocuments } from './queries.ts';
import { documentRoutes } from './routes.ts';

export const documents: Module = {
  name: 'documents',
  tables: ['documents', 'document_folders'],
  routes: [documentRoutes],
  events: Object.values(events),
  visibility: { document: publicDocuments },
  lists: [documentsList],
  contributes: [
    everybodysFamily('documents'),
    showsFiles({ kind: 'document', seen: publicDocuments }),
    followsSpace({ isIn: isInSpace, visibilityChanged: followVisibility }),
  ],
};

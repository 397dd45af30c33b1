import { event } from '../../kernel/delivery/outbox.ts';
import { Document } from './contract.ts';

export const documentCreated = event('document.created', 'A document was added.', { document: Document });
export const documentUpdated = event('document.updated', 'A document changed or moved.', { document: Document });
export const documentDeleted = event('document.deleted', 'A document was deleted.', { document: Document });

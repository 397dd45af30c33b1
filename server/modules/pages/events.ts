import { event } from '../../kernel/delivery/outbox.ts';
import { Page } from './contract.ts';

export const pageCreated = event('page.created', 'A page was created.', { page: Page });
export const pageUpdated = event('page.updated', 'A page changed; a draft was published.', { page: Page });
export const pageDeleted = event('page.deleted', 'A page was deleted.', { page: Page });

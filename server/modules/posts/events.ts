import { event } from '../../kernel/delivery/outbox.ts';
import { Kudos, Update } from './contract.ts';

export const updatePublished = event('update.published', 'An update was posted, or approved.', { update: Update });
export const updateUpdated = event('update.updated', 'An update changed.', { update: Update });
export const updateDeleted = event('update.deleted', 'An update was deleted.', { update: Update });
export const kudosPublished = event('kudos.published', 'Somebody gave kudos.', { kudos: Kudos });
export const kudosUpdated = event('kudos.updated', 'Kudos changed.', { kudos: Kudos });
export const kudosDeleted = event('kudos.deleted', 'Kudos were deleted.', { kudos: Kudos });

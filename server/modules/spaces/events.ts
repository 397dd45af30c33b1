import { event } from '../../kernel/delivery/outbox.ts';
import { Space } from './contract.ts';

export const spaceCreated = event('space.created', 'A space was created.', { space: Space });
export const spaceUpdated = event('space.updated', "A space's attributes changed.", { space: Space });
export const spaceArchived = event('space.archived', 'A space was archived.', { space: Space });
export const spaceUnarchived = event('space.unarchived', 'A space was brought back.', { space: Space });

import { event } from '../../kernel/delivery/outbox.ts';
import { User } from '../users/contract.ts';
import { Badge } from './contract.ts';

export const badgeAssigned = event('badge.assigned', 'A person received a badge.', { badge: Badge, user: User });
export const badgeUnassigned = event('badge.unassigned', 'A badge was taken from a person, or deleted.', {
  badge: Badge,
  user: User,
});

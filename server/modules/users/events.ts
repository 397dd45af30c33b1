import { event } from '../../kernel/delivery/outbox.ts';
import { User } from './contract.ts';

export const userCreated = event('user.created', 'A person was added.', { user: User }, { isSensitive: true });
export const userUpdated = event('user.updated', "A person's record changed.", { user: User }, { isSensitive: true });
export const userDeactivated = event(
  'user.deactivated',
  'A person lost access.',
  { user: User },
  { isSensitive: true },
);
export const userReactivated = event(
  'user.reactivated',
  'A person has access again.',
  { user: User },
  { isSensitive: true },
);

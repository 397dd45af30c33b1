import { event } from '../../kernel/delivery/outbox.ts';
import { Event } from './contract.ts';

export const eventPublished = event('event.published', 'An event was put on the calendar.', { event: Event });
export const eventUpdated = event('event.updated', 'An event changed; it was archived or brought back.', {
  event: Event,
});
export const eventDeleted = event('event.deleted', 'An event was deleted.', { event: Event });

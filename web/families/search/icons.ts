import type { IconName } from '../../icons.ts';
import type { FoundType } from './data.ts';

export const iconOf: Record<FoundType, IconName> = {
  user: 'circle-user',
  space: 'layout-grid',
  team: 'users',
  page: 'book-open',
  article: 'newspaper',
  update: 'megaphone',
  kudos: 'award',
  event: 'calendar',
  comment: 'message-circle',
  document: 'file-text',
  goal: 'target',
  badge: 'medal',
};

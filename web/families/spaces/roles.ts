import { t } from '../../kernel/words.ts';
import type { Member } from './data.ts';

export type Role = Member['space_role'];
export const roles: readonly Role[] = [
  ...(['member', 'owner', 'admin', 'moderator', 'editor'] as const),
  ...(['pages_editor', 'news_editor', 'events_editor', 'documents_editor'] as const),
];
export const roleWords = (role: Role) => t(`space.role_${role}`);

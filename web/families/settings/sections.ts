// THE list of sections of the settings: the address's last part, and what is shown there. A section is its own chunk.
import { lazy } from 'preact-iso';
import type { IconName } from '../../icons.ts';
import type { Word } from '../../kernel/words.ts';

export const sections = [
  { name: 'look', icon: 'languages', word: 'settings.look', component: lazy(() => import('./look-section.tsx')) },
  {
    name: 'notifications',
    icon: 'bell',
    word: 'notification.all',
    component: lazy(() => import('../notifications/settings-section.tsx')),
  },
  {
    name: 'devices',
    icon: 'smartphone',
    word: 'settings.devices',
    component: lazy(() => import('./devices-section.tsx')),
  },
  {
    name: 'password',
    icon: 'lock',
    word: 'settings.password',
    component: lazy(() => import('./password-section.tsx')),
  },
  { name: 'keys', icon: 'key-round', word: 'settings.keys', component: lazy(() => import('./keys-section.tsx')) },
  { name: 'programs', icon: 'bot', word: 'settings.programs', component: lazy(() => import('./programs-section.tsx')) },
  {
    name: 'calendar',
    icon: 'calendar',
    word: 'settings.calendar',
    component: lazy(() => import('./calendar-section.tsx')),
  },
] as const satisfies readonly { name: string; icon: IconName; word: Word; component: unknown }[];

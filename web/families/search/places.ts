// Where the palette leads by itself: the screens, and what can be done at once.
import type { IconName } from '../../icons.ts';
import { may, me, signOut } from '../../kernel/session.ts';
import { setTheme } from '../../kernel/theme.ts';
import { t } from '../../kernel/words.ts';

export interface Entry {
  readonly icon: IconName;
  readonly title: string;
  readonly note?: string | undefined;
  readonly href?: string;
  readonly act?: () => unknown;
}

export const places = (): readonly Entry[] => [
  { icon: 'home', title: t('place.home'), href: '/' },
  { icon: 'newspaper', title: t('place.articles'), href: '/articles' },
  { icon: 'calendar', title: t('place.events'), href: '/events' },
  { icon: 'layout-grid', title: t('place.spaces'), href: '/spaces' },
  { icon: 'message-circle', title: t('place.chat'), href: '/chat' },
  { icon: 'users', title: t('place.people'), href: '/directory' },
  { icon: 'book-open', title: t('place.pages'), href: '/pages' },
  { icon: 'award', title: t('recognition.wall'), href: '/kudos' },
  { icon: 'medal', title: t('recognition.badges'), href: '/badges' },
  { icon: 'target', title: t('recognition.values'), href: '/goals' },
  { icon: 'network', title: t('chart.one'), href: '/org-chart' },
  { icon: 'flag', title: t('campaign.all'), href: '/campaigns' },
  { icon: 'radio', title: t('livestream.all'), href: '/livestreams' },
  { icon: 'check', title: t('mustread.all'), href: '/acknowledgements' },
  { icon: 'settings', title: t('settings.one'), href: '/settings' },
  { icon: 'circle-user', title: t('place.me'), href: `/directory/people/${me().id}` },
];

export const actions = (): readonly Entry[] => [
  ...(may('updates.*.write') ? [{ icon: 'megaphone', title: t('palette.post'), href: '/' } as const] : []),
  ...(may('kudos.*.write') ? [{ icon: 'award', title: t('kudos.give'), href: '/kudos?give' } as const] : []),
  ...(may('events.*.write') ? [{ icon: 'plus', title: t('event.new'), href: '/events/new' } as const] : []),
  { icon: 'sun', title: t('palette.light'), act: () => setTheme('light') },
  { icon: 'moon', title: t('palette.dark'), act: () => setTheme('dark') },
  { icon: 'log-out', title: t('session.out'), act: signOut },
];

/** Every word that was typed begins a word of the title. */
export function fits(title: string, typed: string): boolean {
  const words = title.toLocaleLowerCase().split(/[\s–-]+/);
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

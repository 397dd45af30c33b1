// What stands around every screen of a signed-in person: the way to the others, and the main part.
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import type { IconName } from '../icons.ts';
import { me, session, signOut } from '../kernel/session.ts';
import { t, type Word } from '../kernel/words.ts';
import { Avatar } from '../ui/avatar.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Bell } from './bell.tsx';
import './frame.css';
import { Finder } from './finder.tsx';

const places: readonly { href: string; icon: IconName; word: Word }[] = [
  { href: '/', icon: 'home', word: 'place.home' },
  { href: '/articles', icon: 'newspaper', word: 'place.articles' },
  { href: '/events', icon: 'calendar', word: 'place.events' },
  { href: '/spaces', icon: 'layout-grid', word: 'place.spaces' },
  { href: '/chat', icon: 'message-circle', word: 'place.chat' },
  { href: '/directory', icon: 'users', word: 'place.people' },
  // On a phone there is room for six; pages are found from the spaces.
  { href: '/pages', icon: 'book-open', word: 'place.pages' },
  { href: '/documents', icon: 'folder', word: 'place.documents' },
];

export function Frame({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const isHere = (href: string) => (href === '/' ? path === '/' : path.startsWith(href));
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {t('place.skip')}
      </a>
      <header>
        <a class="organisation" href="/">
          {session.value?.organisation.name}
        </a>
        <Finder />
        <nav aria-label={t('place.all')}>
          {places.map(({ href, icon, word }) => (
            <a key={href} href={href} aria-current={isHere(href) ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{t(word)}</span>
            </a>
          ))}
        </nav>
        <div class="own">
          <Bell isHere={isHere('/notifications')} />
          <a href={`/directory/people/${me().id}`}>
            <Avatar src={me().avatar_url} size="s" />
            <span>{me().name}</span>
          </a>
          <IconButton icon="log-out" label={t('session.out')} onClick={signOut} />
        </div>
      </header>
      <main id="main" class="screen" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

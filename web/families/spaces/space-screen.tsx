import { useLocation } from 'preact-iso';
import { type Address, Thing } from '../../kernel/screen.tsx';
import { may } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { FolderView } from '../documents/folder-view.tsx';
import { Composer } from '../home/composer.tsx';
import { NewsCard, type NewsThing } from '../home/news-card.tsx';
import { PageList } from '../pages/page-list.tsx';
import { PersonLine } from '../users/person-line.tsx';
import { type Member, membersOf, readSpace, type Space, updatesOf } from './data.ts';
import { Visibility } from './visibility.tsx';

const tabs = [
  ['', 'space.feed'],
  ['pages', 'place.pages'],
  ['documents', 'place.documents'],
  ['people', 'place.people'],
] as const;

const SpaceScreen = ({ id = '', tab = '' }: Address) => (
  <Thing<Space> kind="spaces" id={Number(id)} read={readSpace} title={({ name }) => name}>
    {(space) => (
      <>
        <div class="head">
          <Avatar src={space.avatar_url} size="l" />
          <div>
            <h1>{space.name}</h1>
            <p class="counts">
              <Visibility space={space} />
              <span>{t('space.members', { n: space.member_count })}</span>
            </p>
          </div>
        </div>
        {space.description && <p>{space.description}</p>}
        <nav class="tabs" aria-label={space.name}>
          {tabs.map(([name, word]) => (
            <a
              key={name}
              href={`/spaces/${space.id}${name && `/${name}`}`}
              aria-current={tab === name ? 'page' : undefined}
            >
              {t(word)}
            </a>
          ))}
        </nav>
        <Part space={space} tab={tab} />
      </>
    )}
  </Thing>
);

function Part({ space: { id }, tab }: { space: Space; tab: string }) {
  const { query } = useLocation();
  if (tab === 'pages') return <PageList space_id={id} />;
  if (tab === 'documents') {
    const at = `/spaces/${id}/documents`;
    const folder_id = Number(query.folder) || null;
    return <FolderView space_id={id} folder_id={folder_id} href={(one) => (one ? `${at}?folder=${one}` : at)} />;
  }
  if (tab === 'people')
    return (
      <Feed<Member>
        list={membersOf(id)}
        label={t('place.people')}
        empty={<Empty icon="users" title={t('space.nobody')} />}
      >
        {(member) => (
          <PersonLine person={member} note={member.space_role === 'member' ? undefined : member.space_role} />
        )}
      </Feed>
    );
  return (
    <>
      {may('updates.*.write') && <Composer key={id} space_id={id} />}
      <Feed<NewsThing>
        list={updatesOf(id)}
        label={t('space.feed')}
        empty={<Empty icon="megaphone" title={t('home.empty')} />}
      >
        {(update) => <NewsCard kind="updates" thing={update} />}
      </Feed>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default SpaceScreen;

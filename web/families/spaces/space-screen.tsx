import { useLocation } from 'preact-iso';
import { type Address, Thing, useRead } from '../../kernel/screen.tsx';
import { may } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import '../content/content.css';
import { FolderView } from '../documents/folder-view.tsx';
import { EventCard } from '../events/card.tsx';
import type { CalendarEvent } from '../events/data.ts';
import { Composer } from '../home/composer.tsx';
import { NewsCard, type NewsThing } from '../home/news-card.tsx';
import { Seen } from '../notifications/seen.tsx';
import { PageList } from '../pages/page-list.tsx';
import { About } from './about.tsx';
import { eventsOf, type Membership, readMembership, readSpace, type Space, updatesOf } from './data.ts';
import { FeaturedList } from './featured.tsx';
import { MemberList } from './members.tsx';
import { Joining } from './membership.tsx';
import './spaces.css';
import { Visibility } from './visibility.tsx';

const tabs = [
  ['', 'space.feed'],
  ['about', 'person.about'],
  ['people', 'place.people'],
  ['pages', 'place.pages'],
  ['documents', 'place.documents'],
  ['events', 'place.events'],
] as const;

const SpaceScreen = ({ id = '', tab = '' }: Address) => (
  <Thing<Space> kind="spaces" id={Number(id)} read={readSpace} title={({ name }) => name}>
    {(space) => <Whole key={space.id} {...{ space, tab }} />}
  </Thing>
);

function Whole({ space, tab }: { space: Space; tab: string }) {
  const { value: membership, failed, again } = useRead(() => readMembership(space.id), [space.id]);
  const base = `/spaces/${space.id}`;
  return (
    <>
      <Seen type="space" id={space.id} />
      <div class="head">
        <Avatar src={space.avatar_url} size="l" />
        <div>
          <h1>
            <bdi>{space.name}</bdi>
          </h1>
          <p class="counts">
            <Visibility space={space} />
            <span>{t('space.members', { n: space.member_count })}</span>
            {space.is_archived && <span class="kind">{t('space.archived')}</span>}
          </p>
        </div>
      </div>
      {membership && <Joining {...{ space, membership, again }} />}
      {/* What is inside is asked for when it is known to be open to the person. */}
      {!membership && !failed && space.visibility !== 'public' ? (
        <Loading />
      ) : membership && !membership.see_inside ? (
        <>
          <Empty icon="lock" title={t('space.closed')}>
            <p>{t('space.closed_why')}</p>
          </Empty>
          <About space={space} />
        </>
      ) : (
        <>
          <Tabs
            label={space.name}
            here={tab}
            tabs={tabs.map(([name, word]) => ({ name, href: name ? `${base}/${name}` : base, word: t(word) }))}
          />
          <Part {...{ space, tab, membership }} />
        </>
      )}
    </>
  );
}

function Part({ space, tab, membership }: { space: Space; tab: string; membership: Membership | undefined }) {
  const { id } = space;
  const { query } = useLocation();
  if (tab === 'about') return <About space={space} />;
  if (tab === 'pages') return <PageList space_id={id} />;
  if (tab === 'documents') {
    const at = `/spaces/${id}/documents`;
    const folder_id = Number(query.folder) || null;
    return <FolderView space_id={id} folder_id={folder_id} href={(one) => (one ? `${at}?folder=${one}` : at)} />;
  }
  if (tab === 'people') return <MemberList space={space} mayManage={membership?.may_manage ?? false} />;
  if (tab === 'events')
    return (
      <>
        {membership?.may_post && (
          <p class="actions">
            <a class="button plain" href={`/events/new?space=${id}`}>
              <Icon name="plus" />
              {t('event.new')}
            </a>
          </p>
        )}
        <Feed<CalendarEvent>
          list={eventsOf(id)}
          label={t('place.events')}
          empty={<Empty icon="calendar" title={t('event.none')} />}
        >
          {(event) => <EventCard event={event} />}
        </Feed>
      </>
    );
  return (
    <>
      <FeaturedList space_id={id} />
      {membership?.may_post && may('updates.*.write') && <Composer key={id} space_id={id} />}
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

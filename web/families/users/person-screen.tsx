import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Address, Thing } from '../../kernel/screen.tsx';
import { may, me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { say } from '../../ui/toast.tsx';
import { openChannel } from '../chat/data.ts';
import '../content/content.css';
import { NewsCard, type NewsThing } from '../home/news-card.tsx';
import { KudosForm } from '../recognition/kudos-form.tsx';
import { KudosList } from '../recognition/kudos-list.tsx';
import { OwnBadges } from '../recognition/own-badges.tsx';
import { About } from './about.tsx';
import { type Person, readPerson, updatesBy } from './data.ts';
import { ProfileForm } from './profile-form.tsx';
import './users.css';

const PersonScreen = ({ id = '', tab = '' }: Address) => (
  <Thing<Person> kind="users" id={Number(id)} read={readPerson} title={({ name }) => name}>
    {(person, readAgain) => <Profile {...{ person, tab, readAgain }} />}
  </Thing>
);

function Profile({ person, tab, readAgain }: { person: Person; tab: string; readAgain: () => void }) {
  const [isEditing, setEditing] = useState(false);
  const base = `/directory/people/${person.id}`;
  const done = () => {
    setEditing(false);
    readAgain();
  };
  return (
    <div class="profile">
      <div class="head">
        <Avatar src={person.avatar_url} size="l" />
        <div>
          <h1>
            <bdi>{person.name}</bdi>
          </h1>
          <p class="quiet-line">
            <bdi>{[person.display_name, person.job_title].filter(Boolean).join(' · ')}</bdi>
          </p>
        </div>
      </div>
      {person.is_active ? (
        <Actions person={person} isEditing={isEditing} onEdit={() => setEditing(!isEditing)} />
      ) : (
        <p class="kind">{t('person.left')}</p>
      )}
      {isEditing && <ProfileForm person={person} onDone={done} />}
      <Tabs
        label={person.name}
        here={tab}
        tabs={[
          { name: '', href: base, word: t('person.about') },
          { name: 'kudos', href: `${base}/kudos`, word: t('search.type_kudos') },
          { name: 'posts', href: `${base}/posts`, word: t('person.posts') },
        ]}
      />
      {tab === 'posts' ? (
        <Feed<NewsThing>
          list={updatesBy(person.id)}
          label={t('person.posts')}
          empty={<Empty icon="megaphone" title={t('person.no_posts')} />}
        >
          {(update) => <NewsCard kind="updates" thing={update} />}
        </Feed>
      ) : tab === 'kudos' ? (
        <>
          <OwnBadges id={person.id} />
          <KudosList wanted={{ recipient_id: person.id }} />
        </>
      ) : (
        <About person={person} />
      )}
    </div>
  );
}

interface ActionsProps {
  person: Person;
  isEditing: boolean;
  onEdit: () => void;
}
/** What to do with somebody else: write to them, thank them. Of oneself: say who one is. */
function Actions({ person, isEditing, onEdit }: ActionsProps) {
  const { route } = useLocation();
  const [isThanking, setThanking] = useState(false);
  const chart = (
    <a class="button plain" href={`/org-chart/${person.id}`}>
      <Icon name="network" />
      {t('chart.one')}
    </a>
  );
  if (person.id === me().id)
    return (
      <div class="actions">
        <Button icon="pencil" aria-expanded={isEditing} onClick={onEdit}>
          {t('profile.edit')}
        </Button>
        <a class="button plain" href="/settings">
          <Icon name="settings" />
          {t('settings.one')}
        </a>
        {chart}
      </div>
    );
  const write = () => openChannel({ type: 'direct', user_ids: [person.id] }).then(route, () => say(t('state.failed')));
  return (
    <>
      <div class="actions">
        {may('chats.channels.write') && (
          <Button icon="message-circle" onClick={write}>
            {t('chat.start')}
          </Button>
        )}
        {may('kudos.*.write') && (
          <Button icon="award" aria-expanded={isThanking} onClick={() => setThanking(!isThanking)}>
            {t('kudos.give')}
          </Button>
        )}
        {chart}
      </div>
      {isThanking && (
        <KudosForm to={[{ type: 'user', id: person.id, name: person.name, avatar_url: person.avatar_url }]} />
      )}
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default PersonScreen;

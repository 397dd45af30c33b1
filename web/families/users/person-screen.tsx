import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Address, Thing } from '../../kernel/screen.tsx';
import { may, me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import { openChannel } from '../chat/data.ts';
import { Thanks } from '../posts/thanks.tsx';
import '../content/content.css';
import { type Person, readPerson } from './data.ts';

const PersonScreen = ({ id = '' }: Address) => (
  <Thing<Person> kind="users" id={Number(id)} read={readPerson} title={({ name }) => name}>
    {(person) => (
      <>
        <div class="head">
          <Avatar src={person.avatar_url} size="l" />
          <div>
            <h1>{person.name}</h1>
            <p class="quiet-line">{person.job_title}</p>
          </div>
        </div>
        {person.is_active ? <Actions person={person} /> : <p class="kind">{t('person.left')}</p>}
        <dl class="facts">
          <dt>{t('session.email')}</dt>
          <dd>
            <a href={`mailto:${person.email}`}>{person.email}</a>
          </dd>
          <Phone word={t('person.direct')} number={person.direct_dial} />
          <Phone word={t('person.mobile')} number={person.mobile_phone} />
          {person.manager && (
            <>
              <dt>{t('person.manager')}</dt>
              <dd>
                <a href={`/directory/people/${person.manager.id}`}>{person.manager.name}</a>
              </dd>
            </>
          )}
          {person.teams && person.teams.length > 0 && (
            <>
              <dt>{t('person.teams')}</dt>
              <dd>{person.teams.map(({ name }) => name).join(', ')}</dd>
            </>
          )}
          {person.timezone && (
            <>
              <dt>{t('person.time')}</dt>
              <dd>{timeAt(person.timezone)}</dd>
            </>
          )}
        </dl>
      </>
    )}
  </Thing>
);

/** What to do with somebody else: write to them, thank them. */
function Actions({ person }: { person: Person }) {
  const { route } = useLocation();
  const [isThanking, setThanking] = useState(false);
  if (person.id === me().id) return null;
  const write = () => openChannel({ type: 'direct', user_ids: [person.id] }).then(route, () => say(t('state.failed')));
  return (
    <>
      <div class="counts">
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
      </div>
      {isThanking && <Thanks to={person} />}
    </>
  );
}

const Phone = ({ word, number }: { word: string; number: string | null }) =>
  number && (
    <>
      <dt>{word}</dt>
      <dd>
        <a dir="ltr" href={`tel:${number.replaceAll(/[^+\d]/g, '')}`}>
          {number}
        </a>
      </dd>
    </>
  );

const timeAt = (timeZone: string) =>
  new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone }).format(new Date());
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default PersonScreen;

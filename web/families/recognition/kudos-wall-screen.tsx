import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useRead, useTitle } from '../../kernel/screen.tsx';
import { may } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Choice, Picker } from '../../ui/picker.tsx';
import '../content/content.css';
import { findPeopleAndTeams, personChoice } from '../search/data.ts';
import { readTeam } from '../teams/data.ts';
import { readBadges, readGoals, type Wanted } from './data.ts';
import { KudosForm } from './kudos-form.tsx';
import { KudosList } from './kudos-list.tsx';
import './recognition.css';

type Asked = Partial<Record<'person' | 'team' | 'badge' | 'goal' | 'give', string>>;
function addressOf(asked: Asked) {
  const given = Object.entries(asked).filter(([, value]) => value) as [string, string][];
  return given.length > 0 ? `/kudos?${new URLSearchParams(given)}` : '/kudos';
}
const idOf = (text: string | undefined) => Number(text) || undefined;

function KudosWallScreen() {
  const { query, route } = useLocation();
  const asked = query as Asked;
  const [isGiving, setGiving] = useState(asked.give !== undefined);
  useTitle(t('recognition.wall'));
  const { value: badges = [] } = useRead(readBadges, []);
  const { value: goals = [] } = useRead(readGoals, []);
  const change = (some: Asked) => route(addressOf({ ...asked, ...some }), true);
  const wanted: Wanted = {
    ...(idOf(asked.person) ? { recipient_id: Number(asked.person) } : {}),
    ...(idOf(asked.team) ? { recipient_team_id: Number(asked.team) } : {}),
    ...(idOf(asked.badge) ? { badge_id: Number(asked.badge) } : {}),
    ...(idOf(asked.goal) ? { goal_id: Number(asked.goal) } : {}),
  };
  const named = (some: readonly { id: number; title: string }[]) => some.map(({ id, title }) => ({ id, name: title }));
  return (
    <>
      <div class="screen-head">
        <h1>{t('recognition.wall')}</h1>
        {may('kudos.*.write') && (
          <Button look="main" icon="award" aria-expanded={isGiving} onClick={() => setGiving(!isGiving)}>
            {t('kudos.give')}
          </Button>
        )}
      </div>
      {isGiving && <KudosForm />}
      <search class="narrowing">
        <RecipientPicker
          asked={asked}
          onChange={(one) =>
            change({
              person: one?.type === 'user' ? String(one.id) : '',
              team: one?.type === 'team' ? String(one.id) : '',
            })
          }
        />
        {badges.length > 0 && (
          <ChoiceField
            label={t('kudos.badge')}
            value={asked.badge ?? ''}
            onChoice={(badge) => change({ badge })}
            none={t('recognition.any')}
            choices={named(badges)}
          />
        )}
        {goals.length > 0 && (
          <ChoiceField
            label={t('recognition.value')}
            value={asked.goal ?? ''}
            onChoice={(goal) => change({ goal })}
            none={t('recognition.any')}
            choices={named(goals)}
          />
        )}
      </search>
      <p class="counts">
        <a href="/badges">
          <Icon name="medal" />
          {t('recognition.badges')}
        </a>
        <a href="/goals">
          <Icon name="target" />
          {t('recognition.values')}
        </a>
      </p>
      <KudosList key={addressOf(asked)} wanted={wanted} />
    </>
  );
}

/** The address has just the id. */
function RecipientPicker({ asked, onChange }: { asked: Asked; onChange: (one: Choice | undefined) => void }) {
  const { person, team } = asked;
  const [known, setKnown] = useState<Choice>();
  const wanted = person ? `user${person}` : team ? `team${team}` : '';
  const isKnown = known && `${known.type}${known.id}` === wanted;
  useEffect(() => {
    if (!wanted || isKnown) return;
    const read = person
      ? personChoice(Number(person))
      : readTeam(Number(team)).then(({ data: { id, name, avatar_url } }) => ({ type: 'team', id, name, avatar_url }));
    void read.then(setKnown, () => {});
  }, [wanted]);
  const change = ([one]: readonly Choice[]) => {
    setKnown(one);
    onChange(one);
  };
  return (
    <Picker
      label={t('recognition.for')}
      find={findPeopleAndTeams}
      chosen={isKnown ? [known] : []}
      onChosen={change}
      max={1}
    />
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default KudosWallScreen;

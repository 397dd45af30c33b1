import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Pages } from '../../ui/pages.tsx';
import { type Choice, Picker } from '../../ui/picker.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import '../content/content.css';
import { findTeams } from '../search/data.ts';
import { readTeam } from '../teams/data.ts';
import { ColleagueCard } from './colleague-card.tsx';
import { colleagues, PEOPLE_SHOWN } from './data.ts';
import './users.css';

type Asked = Partial<Record<'q' | 'team' | 'page', string>>;
const TYPING_MS = 150;
function addressOf(asked: Asked) {
  const given = Object.entries(asked).filter(([, value]) => value) as [string, string][];
  return given.length > 0 ? `/directory?${new URLSearchParams(given)}` : '/directory';
}

function DirectoryScreen() {
  const { query, route } = useLocation();
  const { q = '', team = '', page: asked = '1' } = query as Asked;
  const page = Number(asked) || 1;
  const [typed, setTyped] = useState(q);
  useTitle(t('place.people'));
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(() => route(addressOf({ q: typed.trim(), team }), true), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { value, failed, again } = useRead(() => colleagues(q, Number(team) || undefined, page), [q, team, page]);
  const total = value?.meta.pagination?.total_records ?? 0;
  return (
    <div class="wide">
      <div class="screen-head">
        <h1>{t('place.people')}</h1>
        <a class="button plain" href="/org-chart">
          <Icon name="network" />
          {t('chart.one')}
        </a>
      </div>
      <search class="narrowing">
        <Field label={t('people.name')}>
          {(own) => (
            <input
              class="input"
              type="search"
              dir="auto"
              maxLength={100}
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              {...own}
            />
          )}
        </Field>
        <TeamPicker team={team} onTeam={(chosen) => route(addressOf({ q, team: chosen }), true)} />
      </search>
      {failed && <Failed refusal={failed} again={again} />}
      {!value && !failed && <Loading lines={8} />}
      {value && (
        <>
          <p role="status" class="quiet-line">
            {t('people.total', { n: total })}
          </p>
          {value.data.length === 0 ? (
            <Empty icon="users" title={t('people.none')}>
              {(q || team) && <a href="/directory">{t('people.all')}</a>}
            </Empty>
          ) : (
            <ul class="people" aria-label={t('place.people')}>
              {value.data.map((person) => (
                <li key={person.id}>
                  <ColleagueCard person={person} />
                </li>
              ))}
            </ul>
          )}
          <Pages
            {...{ page, total }}
            size={PEOPLE_SHOWN}
            hrefOf={(n) => addressOf({ q, team, page: n === 1 ? '' : String(n) })}
          />
        </>
      )}
    </div>
  );
}

/** The address has just the team's id. */
function TeamPicker({ team, onTeam }: { team: string; onTeam: (id: string) => void }) {
  const [known, setKnown] = useState<Choice>();
  useEffect(() => {
    if (!team || String(known?.id) === team) return;
    void readTeam(Number(team)).then(
      ({ data: { id, name } }) => setKnown({ type: 'team', id, name }),
      () => {},
    );
  }, [team]);
  const change = ([one]: readonly Choice[]) => {
    setKnown(one);
    onTeam(one ? String(one.id) : '');
  };
  return (
    <Picker
      label={t('people.team')}
      find={findTeams}
      chosen={known && String(known.id) === team ? [known] : []}
      onChosen={change}
      max={1}
    />
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default DirectoryScreen;

import { useState } from 'preact/hooks';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Failed, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import '../content/content.css';
import { type Mute, readMutes, readSettings, type Settings, setLevel, unmute, writeSettings } from './data.ts';
import './notifications.css';

function SettingsSection() {
  const { value, failed, again } = useRead(() => Promise.all([readSettings(), readMutes()]), []);
  if (!value) return failed ? <Failed refusal={failed} again={again} /> : <Loading lines={8} />;
  return (
    <>
      <Choices settings={value[0]} />
      <Mutes mutes={value[1]} again={again} />
    </>
  );
}

type Kind = Settings['kinds'][number];
function Choices({ settings }: { settings: Settings }) {
  const [known, setKnown] = useState(settings);
  /** Shown at once; what the server does not take is as before. */
  const write = (change: Partial<Settings>) => {
    const kinds = known.kinds.map((one) => change.kinds?.find(({ kind }) => kind === one.kind) ?? one);
    setKnown({ ...known, ...change, kinds });
    writeSettings(change).then(setKnown, () => {
      setKnown(known);
      say(t('state.failed'));
    });
  };
  return (
    <>
      <div class="card">
        <table class="channels-of">
          <thead>
            <tr>
              <th scope="col">{t('notification.what')}</th>
              <th scope="col">{t('notification.in_app')}</th>
              <th scope="col">{t('notification.push')}</th>
            </tr>
          </thead>
          <tbody>
            {known.kinds.map((one) => (
              <Row key={one.kind} one={one} write={(wanted) => write({ kinds: [wanted] })} />
            ))}
          </tbody>
        </table>
      </div>
      <Quiet settings={known} write={write} />
    </>
  );
}

function Row({ one, write }: { one: Kind; write: (wanted: Kind) => void }) {
  const word = t(`notification.kind.${one.kind}`);
  return (
    <tr>
      <th scope="row">{word}</th>
      <td>
        <input
          type="checkbox"
          aria-label={`${word}: ${t('notification.in_app')}`}
          checked={one.in_app}
          onChange={() => write({ ...one, in_app: !one.in_app, push: !one.in_app })}
        />
      </td>
      <td>
        <input
          type="checkbox"
          aria-label={`${word}: ${t('notification.push')}`}
          checked={one.push}
          disabled={!one.in_app}
          onChange={() => write({ ...one, push: !one.push })}
        />
      </td>
    </tr>
  );
}

const NIGHT = { quiet_from: '20:00', quiet_until: '07:00' };
function Quiet({ settings, write }: { settings: Settings; write: (change: Partial<Settings>) => void }) {
  const { quiet_from, quiet_until, timezone } = settings;
  const isOn = quiet_from !== null && quiet_until !== null;
  const none = { quiet_from: null, quiet_until: null };
  const time = (name: 'quiet_from' | 'quiet_until') => (
    <Field label={t(`notification.${name}`)}>
      {(own) => (
        <input
          class="input"
          type="time"
          value={settings[name] ?? ''}
          onChange={({ currentTarget }) => currentTarget.value && write({ [name]: currentTarget.value })}
          {...own}
        />
      )}
    </Field>
  );
  return (
    <section class="card" aria-labelledby="quiet">
      <h2 id="quiet">{t('notification.quiet')}</h2>
      <p class="quiet-line">{t('notification.quiet_why', { zone: timezone })}</p>
      <div class="quiet-hours">
        {isOn && time('quiet_from')}
        {isOn && time('quiet_until')}
        <Button onClick={() => write(isOn ? none : NIGHT)}>
          {isOn ? t('notification.quiet_off') : t('notification.quiet_on')}
        </Button>
      </div>
    </section>
  );
}

function Mutes({ mutes, again }: { mutes: readonly Mute[]; again: () => void }) {
  const done = (work: Promise<unknown>) => void work.then(again, () => say(t('state.failed')));
  return (
    <section class="card" aria-labelledby="mutes">
      <h2 id="mutes">{t('notification.mutes')}</h2>
      {mutes.length === 0 && <p class="quiet-line">{t('notification.no_mutes')}</p>}
      <ul class="rows muted-things">
        {mutes.map((one) => (
          <li key={`${one.type}/${one.id}`}>
            <bdi>{one.title}</bdi>
            <select
              class="input"
              aria-label={t('notification.level', { title: one.title })}
              value={one.level}
              onChange={({ currentTarget }) => done(setLevel(one, currentTarget.value as Mute['level']))}
            >
              <option value="none">{t('notification.nothing')}</option>
              <option value="personal">{t('notification.personal')}</option>
            </select>
            <Button onClick={() => done(unmute(one))}>{t('notification.unmute')}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
// biome-ignore lint/style/noDefaultExport: a section is loaded by itself.
export default SettingsSection;

import { type Address, useTitle } from '../../kernel/screen.tsx';
import { me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Gone } from '../../ui/states.tsx';
import '../content/content.css';
import { sections } from './sections.ts';
import './settings.css';

/** At a desk the list stands beside its section; on a phone one leads to the other. */
function SettingsScreen({ tab = '' }: Address) {
  const chosen = sections.find(({ name }) => name === tab);
  const { component: Section, word } = chosen ?? sections[0];
  useTitle(chosen ? t(word) : t('settings.one'));
  if (tab && !chosen) return <Gone />;
  return (
    <div class={`wide settings ${chosen ? 'chosen' : ''}`}>
      <nav aria-label={t('settings.one')}>
        <a class="line" href={`/directory/people/${me().id}`}>
          <Icon name="circle-user" />
          {t('place.me')}
        </a>
        {sections.map(({ name, icon, word: own }) => (
          <a
            key={name}
            class="line"
            href={`/settings/${name}`}
            aria-current={name === (chosen ?? sections[0]).name ? 'page' : undefined}
          >
            <Icon name={icon} />
            {t(own)}
          </a>
        ))}
      </nav>
      <div class="section">
        <p class="back">
          <a href="/settings">{t('settings.all')}</a>
        </p>
        <h1>{t(chosen ? word : 'settings.one')}</h1>
        <Section />
      </div>
    </div>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default SettingsScreen;

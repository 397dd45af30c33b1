import { useState } from 'preact/hooks';
import { me } from '../../kernel/session.ts';
import { setTheme, theme, themes } from '../../kernel/theme.ts';
import { spoken, t } from '../../kernel/words.ts';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../ui/toast.tsx';
import { profileOf, saveProfile } from '../users/data.ts';

const icons = { system: 'monitor', light: 'sun', dark: 'moon' } as const;
/** Each in its own words: who looks for it may not read the others. */
const nameOf = (language: string) => new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;

/** The language belongs to the person, light and dark to the device. */
function LookSection() {
  const [language, setLanguage] = useState(me().locale ?? '');
  const choose = async (chosen: string) => {
    setLanguage(chosen);
    try {
      await saveProfile({ ...profileOf(me()), locale: chosen || null });
      // What the pages keep of the server may be of the language before, too.
      location.reload();
    } catch {
      say(t('state.failed'));
    }
  };
  const own = language.split('-', 1)[0] ?? '';
  return (
    <>
      <Field label={t('settings.language')} hint={t('settings.language_hint')}>
        {(attributes) => (
          <select
            class="input"
            value={spoken.includes(own) ? own : ''}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
            {...attributes}
          >
            <option value="">{t('settings.as_browser')}</option>
            {spoken.map((one) => (
              <option key={one} value={one} lang={one}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <fieldset class="choices">
        <legend>{t('settings.theme')}</legend>
        {themes.map((one) => (
          <label key={one}>
            <input type="radio" name="theme" checked={theme.value === one} onChange={() => setTheme(one)} />
            <Icon name={icons[one]} />
            {t(`settings.theme_${one}`)}
          </label>
        ))}
      </fieldset>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a section is loaded by itself.
export default LookSection;

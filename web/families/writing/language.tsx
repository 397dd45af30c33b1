import { useMemo } from 'preact/hooks';
import { me, session } from '../../kernel/session.ts';
import { locale, t } from '../../kernel/words.ts';
import { Field } from '../../ui/field.tsx';

const KNOWN = ['ar', 'de', 'en', 'es', 'fr', 'he', 'it', 'ja', 'nl', 'pl', 'pt', 'tr', 'uk', 'zh'];

/** The language of a text that is new. */
export function LanguageField({ value, onChoice }: { value: string; onChoice: (value: string) => void }) {
  const offered = useMemo(() => {
    const names = new Intl.DisplayNames(locale.value, { type: 'language' });
    const tags = new Set([value, session.value?.organisation.locale, me().locale, ...KNOWN]);
    return [...tags].flatMap((tag) => (tag ? [{ tag, name: names.of(tag) ?? tag }] : []));
  }, [value]);
  return (
    <Field label={t('writing.language')}>
      {(own) => (
        <select class="input" value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)} {...own}>
          {offered.map(({ tag, name }) => (
            <option key={tag} value={tag}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

import { useEffect, useState } from 'preact/hooks';
import { locale, t } from '../../kernel/words.ts';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Choice, Picker } from '../../ui/picker.tsx';
import { type Asked, findPeople, findSpaces, personChoice, spaceChoice } from './data.ts';

const languages = ['en', 'de', 'fr', 'es', 'pt', 'pl', 'ar', 'he', 'ja', 'zh'];
const nameOf = (language: string) =>
  new Intl.DisplayNames([locale.value], { type: 'language' }).of(language) ?? language;

interface Props {
  wanted: Asked;
  onChange: (some: Asked) => void;
}
/** What narrows the search; each stands in the address. */
export function Filters({ wanted, onChange }: Props) {
  const n = (['space', 'person', 'from', 'to', 'language', 'sort'] as const).filter((name) => wanted[name]).length;
  return (
    <details class="filters" open={n > 0}>
      <summary>
        {t('search.filters', { n })}
        <Icon name="chevron-down" />
      </summary>
      <div>
        <OnePicker
          label={t('search.by')}
          id={wanted.person}
          read={personChoice}
          find={findPeople}
          onChange={(person) => onChange({ person })}
        />
        <OnePicker
          label={t('search.in')}
          id={wanted.space}
          read={spaceChoice}
          find={findSpaces}
          onChange={(space) => onChange({ space })}
        />
        <DateField label={t('search.from')} value={wanted.from} onChange={(from) => onChange({ from })} />
        <DateField label={t('search.to')} value={wanted.to} onChange={(to) => onChange({ to })} />
        <Field label={t('search.language')}>
          {(own) => (
            <select
              class="input"
              value={wanted.language ?? ''}
              onChange={({ currentTarget }) => onChange({ language: currentTarget.value })}
              {...own}
            >
              <option value="">{t('search.any_language')}</option>
              {languages.map((language) => (
                <option key={language} value={language}>
                  {nameOf(language)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t('search.sort')}>
          {(own) => (
            <select
              class="input"
              value={wanted.sort ?? ''}
              onChange={({ currentTarget }) => onChange({ sort: currentTarget.value })}
              {...own}
            >
              <option value="">{t('search.best')}</option>
              <option value="newest">{t('search.by_date')}</option>
            </select>
          )}
        </Field>
      </div>
    </details>
  );
}

interface OneProps extends Pick<Parameters<typeof Picker>[0], 'label' | 'find'> {
  id: string | undefined;
  read: (id: number) => Promise<Choice>;
  onChange: (id: string) => void;
}
/** One of many, of whom the address has just the id. */
function OnePicker({ id, read, onChange, ...more }: OneProps) {
  const [known, setKnown] = useState<Choice>();
  useEffect(() => {
    if (id && String(known?.id) !== id) void read(Number(id)).then(setKnown, () => {});
  }, [id]);
  const chosen = known && String(known.id) === id ? [known] : [];
  const change = ([one]: readonly Choice[]) => {
    setKnown(one);
    onChange(one ? String(one.id) : '');
  };
  return <Picker {...more} chosen={chosen} onChosen={change} max={1} />;
}

interface DateProps {
  label: string;
  value: string | undefined;
  onChange: (value: string) => void;
}
const DateField = ({ label, value = '', onChange }: DateProps) => (
  <Field label={label}>
    {(own) => (
      <input
        class="input"
        type="date"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        {...own}
      />
    )}
  </Field>
);

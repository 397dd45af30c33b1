// Finds and does everything, from everywhere, by keyboard: a combobox in a dialog.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { t } from '../../kernel/words.ts';
import { IconButton } from '../../ui/button.tsx';
import { useCombobox } from '../../ui/combobox.ts';
import { Icon } from '../../ui/icon.tsx';
import { pathOf, type Suggestion, suggest } from './data.ts';
import { iconOf } from './icons.ts';
import { actions, type Entry, fits, places } from './places.ts';
import './palette.css';

const TYPING_MS = 60;
interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const asEntry = ({ type, title, subtitle, url }: Suggestion): Entry => ({
  icon: iconOf[type],
  title,
  note: subtitle,
  href: pathOf(url),
});

function groupsFor(typed: string, found: readonly Suggestion[]): readonly Group[] {
  const own = (entries: readonly Entry[]) => (typed ? entries.filter(({ title }) => fits(title, typed)) : entries);
  const of = (type: Suggestion['type']) => found.filter((one) => one.type === type).map(asEntry);
  const everywhere = { icon: 'search', title: t('palette.everywhere', { q: typed }) } as const;
  return [
    { title: t('palette.places'), entries: own(places()) },
    { title: t('search.type_user'), entries: of('user') },
    { title: t('search.type_space'), entries: of('space') },
    { title: t('search.type_page'), entries: of('page') },
    { title: t('palette.actions'), entries: own(actions()) },
    {
      title: t('search.one'),
      entries: typed ? [{ ...everywhere, href: `/search?${new URLSearchParams({ q: typed })}` }] : [],
    },
  ].filter(({ entries }) => entries.length > 0);
}

/** What the server suggests for what is typed; what it said last until it answers. */
function useSuggestions(typed: string) {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  useEffect(() => {
    if (!typed) return setFound([]);
    const asking = new AbortController();
    const timer = setTimeout(() => void suggest(typed, asking.signal).then(setFound, () => {}), TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [typed]);
  return found;
}

export function Palette({ close }: { close: () => void }) {
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const typed = text.trim();
  const found = useSuggestions(typed);
  const groups = groupsFor(typed, found);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useCombobox(field, list, JSON.stringify(groups), true);
  const choose = ({ href, act }: Entry) => {
    dialog.current?.close();
    if (href) route(href);
    else void act?.();
  };
  const n = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <dialog
      class="palette"
      ref={dialog}
      aria-label={t('palette.one')}
      onClose={close}
      // What lies around it is the backdrop.
      onMouseDown={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <div class="asked">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          dir="auto"
          autofocus
          autocomplete="off"
          spellcheck={false}
          maxLength={500}
          aria-label={t('palette.type')}
          placeholder={t('palette.type')}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <kbd>Esc</kbd>
        <IconButton icon="x" label={t('palette.close')} onClick={() => dialog.current?.close()} />
      </div>
      <span class="heard" role="status">
        {t('mention.found', { n })}
      </span>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('palette.one')}>
        {groups.map(({ title, entries }, g) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox may hold groups, and no fieldsets.
          <div key={title} role="group" aria-labelledby={`${id}-${g}`}>
            <p id={`${id}-${g}`} role="presentation">
              {title}
            </p>
            {entries.map((entry, e) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys stay with the field and press it.
              <div
                key={entry.href ?? entry.title}
                id={`${id}-${g}-${e}`}
                role="option"
                tabIndex={-1}
                aria-selected="false"
                // The focus stays in the field.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(entry)}
              >
                <Icon name={entry.icon} />
                <bdi>{entry.title}</bdi>
                {entry.note && <small dir="auto">{entry.note}</small>}
              </div>
            ))}
          </div>
        ))}
      </div>
    </dialog>
  );
}

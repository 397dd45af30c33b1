// Chooses people, spaces or whatever has a name, by typing the beginning of it.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../kernel/words.ts';
import { Avatar } from './avatar.tsx';
import { IconButton } from './button.tsx';
import { useCombobox } from './combobox.ts';
import { Field, type FieldProps } from './field.tsx';
import './picker.css';

export interface Choice {
  readonly type: string;
  readonly id: number;
  readonly name: string;
  readonly note?: string | undefined;
  readonly avatar_url?: string | undefined;
}
interface Props extends Omit<FieldProps, 'children'> {
  find: (q: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  chosen: readonly Choice[];
  onChosen: (chosen: readonly Choice[]) => void;
  max?: number;
  autofocus?: boolean;
}
const TYPING_MS = 120;
const same = (a: Choice, b: Choice) => a.type === b.type && a.id === b.id;

export function Picker({ label, hint, error, find, chosen, onChosen, max = 100, autofocus = false }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<readonly Choice[]>([]);
  useEffect(() => {
    if (typed.trim() === '') return setFound([]);
    const asking = new AbortController();
    const ask = () => void find(typed.trim(), asking.signal).then(setFound, () => {});
    const timer = setTimeout(ask, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [typed]);
  const offered = found.filter((one) => !chosen.some((other) => same(one, other)));
  useCombobox(field, list, offered, offered.length > 0);
  const choose = (one: Choice) => {
    onChosen([...chosen, one]);
    setTyped('');
    setFound([]);
    field.current?.focus();
  };
  return (
    <Field {...{ label, hint, error }}>
      {(own) => (
        <div class="picker">
          {chosen.length > 0 && (
            <ul>
              {chosen.map((one) => (
                <li key={`${one.type}${one.id}`}>
                  {one.avatar_url && <Avatar src={one.avatar_url} size="s" />}
                  <bdi>{one.name}</bdi>
                  <IconButton
                    icon="x"
                    label={t('picker.without', { name: one.name })}
                    onClick={() => onChosen(chosen.filter((other) => !same(one, other)))}
                  />
                </li>
              ))}
            </ul>
          )}
          <input
            class="input"
            type="text"
            dir="auto"
            autocomplete="off"
            placeholder={t('picker.type')}
            hidden={chosen.length >= max}
            {...own}
            ref={field}
            value={typed}
            autofocus={autofocus}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onBlur={() => setFound([])}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && offered.length > 0) {
                event.stopPropagation();
                event.preventDefault();
                setFound([]);
              }
              if (event.key === 'Backspace' && typed === '') onChosen(chosen.slice(0, -1));
            }}
          />
          <span class="heard" role="status">
            {offered.length > 0 && t('mention.found', { n: offered.length })}
          </span>
          <div ref={list} id={listId} role="listbox" aria-label={label} hidden={offered.length === 0}>
            {offered.map((one) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys stay with the field and press it.
              <div
                key={`${one.type}${one.id}`}
                id={`${listId}-${one.type}-${one.id}`}
                role="option"
                tabIndex={-1}
                aria-selected="false"
                // The focus stays in the field.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(one)}
              >
                {one.avatar_url && <Avatar src={one.avatar_url} size="s" />}
                <span>
                  <bdi>{one.name}</bdi>
                  {one.note && <small>{one.note}</small>}
                </span>
              </div>
            ))}
          </div>
        </div>
      )}
    </Field>
  );
}

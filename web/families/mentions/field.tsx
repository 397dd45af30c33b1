// A field in which @ offers people, teams and spaces. The list is a listbox of ARIA: the keys and what screen readers
// are told come from a kept library; the focus stays in the text.
import Combobox from '@github/combobox-nav';
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Field, type FieldProps } from '../../ui/field.tsx';
import { type Mention, type Place, type Suggestion, suggest } from './data.ts';
import './mentions.css';

interface Props extends Omit<JSX.IntrinsicElements['textarea'], 'onInput'> {
  value: string;
  onWords: (value: string) => void;
  mentions: readonly Mention[];
  onMentions: (mentions: readonly Mention[]) => void;
  place: Place;
  /** The list opens over the field. */
  isAbove?: boolean;
}
/** A name that is being typed: `@`, and up to three words. */
const TYPED = /(?:^|[\s([])@((?:[\p{L}\p{N}.'-]+ ?){0,3})$/u;
const TYPING_MS = 120;

export function MentionArea({ value, onWords, mentions, onMentions, place, isAbove, onKeyDown, ...more }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  const look = () => {
    const { selectionStart: caret, selectionEnd } = area.current as HTMLTextAreaElement;
    const [, name] = TYPED.exec((area.current?.value ?? '').slice(0, caret)) ?? [];
    setTyped(caret === selectionEnd ? name : undefined);
  };
  useEffect(() => {
    setFound([]);
    if (typed === undefined) return;
    const asking = new AbortController();
    const ask = () => void suggest(typed, place, asking.signal).then(setFound, () => {});
    const timer = setTimeout(ask, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [typed, JSON.stringify(place)]);
  useLayoutEffect(() => {
    if (!area.current || !list.current || found.length === 0) return;
    const combobox = new Combobox(area.current, list.current);
    combobox.start();
    // A field of several lines may be no combobox (ARIA in HTML): it says its choices as a text box can.
    area.current.removeAttribute('role');
    area.current.removeAttribute('aria-expanded');
    combobox.navigate(1);
    return () => combobox.destroy();
  }, [found]);
  const choose = ({ type, id, name }: Suggestion) => {
    const field = area.current as HTMLTextAreaElement;
    const { selectionStart: caret } = field;
    const from = caret - (typed?.length ?? 0);
    field.setRangeText(`${name} `, from, caret, 'end');
    onMentions([...mentions, { type, id, name }]);
    onWords(field.value);
    setTyped(undefined);
    setFound([]);
    field.focus();
  };
  return (
    <div class="mentioning">
      <textarea
        class="input"
        dir="auto"
        {...more}
        ref={area}
        value={value}
        onInput={({ currentTarget }) => {
          onWords(currentTarget.value);
          look();
        }}
        onClick={look}
        onBlur={() => setTyped(undefined)}
        onKeyDown={(event) => {
          if (found.length === 0) return onKeyDown?.(event);
          if (event.key === 'Escape') setTyped(undefined);
        }}
      />
      <span class="heard" role="status">
        {found.length > 0 && t('mention.found', { n: found.length })}
      </span>
      {found.length > 0 && (
        <div ref={list} id={id} class={isAbove ? 'above' : ''} role="listbox" aria-label={t('mention.list')}>
          {found.map((one) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys stay with the field and press it.
            <div
              key={`${one.type}${one.id}`}
              id={`${id}-${one.type}-${one.id}`}
              role="option"
              tabIndex={-1}
              aria-selected="false"
              // The focus stays in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(one)}
            >
              <Avatar src={one.avatar_url} size="s" />
              <span>
                <bdi>{one.name}</bdi>
                <small>
                  {one.is_outside ? t('mention.outside') : one.type === 'user' ? one.note : t(`mention.${one.type}`)}
                </small>
              </span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

export const MentionField = ({ label, hint, error, ...more }: Props & Omit<FieldProps, 'children'>) => (
  <Field {...{ label, hint, error }}>{(own) => <MentionArea rows={2} required {...more} {...own} />}</Field>
);

// People, teams and spaces to choose from, beside the field in which one is being named. The list is a listbox of ARIA:
// the keys and what screen readers are told come from a kept library; the focus stays in the text.
import Combobox from '@github/combobox-nav';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { type Place, type Suggestion, suggest } from './data.ts';
import './mentions.css';

/** A name that is being typed: `@`, and up to three words. */
const TYPED = /(?:^|[\s([])@((?:[\p{L}\p{N}.'-]+ ?){0,3})$/u;
const TYPING_MS = 120;
/** Of the text before the caret. */
export const nameBeing = (before: string): string | undefined => TYPED.exec(before)?.[1];

/** Who may be meant by what is typed; undefined: nobody is being named. */
export function useSuggestions(typed: string | undefined, place: Place): readonly Suggestion[] {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
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
  return typed === undefined ? [] : found;
}

interface Props {
  field: HTMLElement | null;
  found: readonly Suggestion[];
  choose: (one: Suggestion) => void;
  isAbove?: boolean | undefined;
  /** Where the name begins, in pixels from the top; default: below the field. */
  top?: number;
}
export function Offer({ field, found, choose, isAbove, top }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (!field || !list.current || found.length === 0) return;
    const role = field.getAttribute('role');
    const combobox = new Combobox(field as HTMLTextAreaElement, list.current);
    combobox.start();
    // A field of several lines may be no combobox (ARIA in HTML): it says its choices as a text box can.
    const isTextBox = () => {
      if (role) field.setAttribute('role', role);
      else field.removeAttribute('role');
      field.removeAttribute('aria-expanded');
    };
    isTextBox();
    combobox.navigate(1);
    return () => {
      combobox.destroy();
      isTextBox();
    };
  }, [field, found]);
  return (
    <>
      <span class="heard" role="status">
        {found.length > 0 && t('mention.found', { n: found.length })}
      </span>
      {found.length > 0 && (
        <div
          ref={list}
          id={id}
          class={isAbove ? 'above' : ''}
          style={top === undefined ? {} : { insetBlockStart: `${top}px` }}
          role="listbox"
          aria-label={t('mention.list')}
        >
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
    </>
  );
}

// A field in which @ offers people, teams and spaces.
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Field, type FieldProps } from '../../ui/field.tsx';
import type { Mention, Place, Suggestion } from './data.ts';
import { nameBeing, Offer, useSuggestions } from './offer.tsx';

interface Props extends Omit<JSX.IntrinsicElements['textarea'], 'onInput'> {
  value: string;
  onWords: (value: string) => void;
  mentions: readonly Mention[];
  onMentions: (mentions: readonly Mention[]) => void;
  place: Place;
  /** The list opens over the field. */
  isAbove?: boolean;
}
export function MentionArea({ value, onWords, mentions, onMentions, place, isAbove, onKeyDown, ...more }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState<string>();
  const found = useSuggestions(typed, place);
  const look = () => {
    const { selectionStart: caret, selectionEnd } = area.current as HTMLTextAreaElement;
    const name = nameBeing((area.current?.value ?? '').slice(0, caret));
    setTyped(caret === selectionEnd ? name : undefined);
  };
  const choose = ({ type, id, name }: Suggestion) => {
    const field = area.current as HTMLTextAreaElement;
    const { selectionStart: caret } = field;
    const from = caret - (typed?.length ?? 0);
    field.setRangeText(`${name} `, from, caret, 'end');
    onMentions([...mentions, { type, id, name }]);
    onWords(field.value);
    setTyped(undefined);
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
      <Offer field={area.current} found={found} choose={choose} isAbove={isAbove} />
    </div>
  );
}

export const MentionField = ({ label, hint, error, ...more }: Props & Omit<FieldProps, 'children'>) => (
  <Field {...{ label, hint, error }}>{(own) => <MentionArea rows={2} required {...more} {...own} />}</Field>
);

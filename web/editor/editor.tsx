// A field for rich text: what is written comes out as HTML just as the server keeps it.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Place, Suggestion } from '../families/mentions/data.ts';
import { Offer, useSuggestions } from '../families/mentions/offer.tsx';
import { t } from '../kernel/words.ts';
import { say } from '../ui/toast.tsx';
import './editor.css';
import { type LinkDialog, Linking } from './linking.tsx';
import type { Addresses } from './pictures.ts';
import { schema } from './schema.ts';
import { Toolbar } from './toolbar.tsx';
import { type Editing, edit } from './view.ts';

/** How the form around it reads what is written. */
export interface Hold {
  html(): string;
  /** Pictures that are on their way to the server. */
  waiting(): number;
}
interface Props {
  label: string;
  html: string;
  addresses: Addresses;
  /** For whom the text is. */
  place: Place;
  onInput: () => void;
  hold: { current: Hold | undefined };
  error?: string | undefined;
}
export function Editor({ label, html, addresses, place, onInput, hold, error }: Props) {
  const text = useRef<HTMLDivElement>(null);
  const toolbar = useRef<HTMLDivElement>(null);
  const linking = useRef<LinkDialog | undefined>(undefined);
  const [editing, setEditing] = useState<Editing>();
  const input = useRef(onInput);
  input.current = onInput;
  const id = useId();
  useLayoutEffect(() => {
    const made = edit(text.current as HTMLElement, {
      html,
      addresses,
      attributes: { 'aria-labelledby': `${id}-label`, 'aria-describedby': `${id}-note`, dir: 'auto' },
      onInput: () => input.current(),
      openLink: () => linking.current?.open(),
      openToolbar: () => toolbar.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(),
      refused: (name) => say(t('editor.refused', { name })),
    });
    hold.current = { html: made.html, waiting: () => made.pictures.waiting.value };
    setEditing(made);
    return () => made.view.destroy();
  }, []);
  const waiting = editing?.pictures.waiting.value ?? 0;
  return (
    <div class="field editor">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as a label does for a field that is none of HTML's. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: by keys the field itself is reached. */}
      <span class="label" id={`${id}-label`} onClick={() => editing?.view.focus()}>
        {label}
      </span>
      <div class="paper">
        {editing && <Toolbar editing={editing} place={toolbar} openLink={() => linking.current?.open()} />}
        <div class="mentioning">
          <div ref={text} />
          {editing && <Naming editing={editing} place={place} />}
        </div>
      </div>
      <p id={`${id}-note`} class={error ? 'error' : 'hint'}>
        {error ?? t('editor.hint')}
      </p>
      <p class="hint" role="status">
        {waiting > 0 && t('editor.sending', { n: waiting })}
      </p>
      {editing && <Linking editing={editing} hold={linking} />}
    </div>
  );
}

function Naming({ editing: { view, naming }, place }: { editing: Editing; place: Place }) {
  const typed = naming.value;
  const found = useSuggestions(typed, place);
  const choose = ({ type, id, name }: Suggestion) => {
    const { from } = view.state.selection;
    const begin = from - (typed?.length ?? 0) - 1;
    const mention = schema.node('mention', { type, id, name });
    view.dispatch(view.state.tr.replaceWith(begin, from, [mention, schema.text(' ')]));
    view.focus();
  };
  const { offsetParent } = view.dom;
  const below = found.length > 0 ? view.coordsAtPos(view.state.selection.from).bottom : 0;
  const top = below - (offsetParent?.getBoundingClientRect().top ?? 0);
  return <Offer field={view.dom} found={found} choose={choose} top={top} />;
}

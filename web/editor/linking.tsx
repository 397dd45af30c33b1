// Asks where a link leads.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditorState } from 'prosemirror-state';
import { t } from '../kernel/words.ts';
import { Button } from '../ui/button.tsx';
import '../ui/dialog.css';
import { Field } from '../ui/field.tsx';
import { schema } from './schema.ts';
import type { Editing } from './view.ts';

export interface LinkDialog {
  open(): void;
}
const link = schema.marks.link as never as NonNullable<(typeof schema.marks)['link']>;

/** The link that the caret stands in, whole. */
function linkAt({ doc, selection: { $from, from, to } }: EditorState) {
  const { parent } = $from;
  let found: { from: number; to: number; href: string } | undefined;
  parent.forEach((node, offset) => {
    const begin = $from.start() + offset;
    const mark = link.isInSet(node.marks);
    if (mark && begin <= from && from <= begin + node.nodeSize)
      found = { from: begin, to: begin + node.nodeSize, href: mark.attrs.href };
  });
  return found ?? { from, to, href: '', words: doc.textBetween(from, to) };
}
const ADDRESS = /^(https?:\/\/|mailto:|tel:|\/)/i;
const wholeAddress = (typed: string) =>
  ADDRESS.test(typed) ? typed : /^[^\s@/]+@[^\s@/]+$/.test(typed) ? `mailto:${typed}` : `https://${typed}`;

export function Linking({ editing: { view }, hold }: { editing: Editing; hold: { current: LinkDialog | undefined } }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [href, setHref] = useState('');
  useEffect(() => {
    hold.current = {
      open() {
        setHref(linkAt(view.state).href);
        dialog.current?.showModal();
      },
    };
  }, []);
  const close = () => {
    dialog.current?.close();
    view.focus();
  };
  const set = (event: Event) => {
    event.preventDefault();
    const { from, to } = linkAt(view.state);
    const address = wholeAddress(href.trim());
    const { tr } = view.state;
    if (from === to) tr.insert(from, schema.text(href.trim(), [link.create({ href: address })]));
    else tr.removeMark(from, to, link).addMark(from, to, link.create({ href: address }));
    view.dispatch(tr);
    close();
  };
  const remove = () => {
    const { from, to } = linkAt(view.state);
    view.dispatch(view.state.tr.removeMark(from, to, link));
    close();
  };
  return (
    <dialog class="dialog" ref={dialog} aria-label={t('editor.link')}>
      <form onSubmit={set}>
        <Field label={t('editor.address')}>
          {(own) => (
            <input
              class="input"
              type="text"
              inputMode="url"
              dir="ltr"
              required
              value={href}
              onInput={({ currentTarget }) => setHref(currentTarget.value)}
              {...own}
            />
          )}
        </Field>
        <div class="actions">
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button onClick={remove}>{t('editor.unlink')}</Button>
          <Button type="submit" look="main">
            {t('editor.set_link')}
          </Button>
        </div>
      </form>
    </dialog>
  );
}

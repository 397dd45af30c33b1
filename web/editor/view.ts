// The editor itself, without anything around it: a document that is typed into, and what is known of it.
import { type Signal, signal } from '@preact/signals';
import { dropCursor } from 'prosemirror-dropcursor';
import { gapCursor } from 'prosemirror-gapcursor';
import { history } from 'prosemirror-history';
import { EditorState } from 'prosemirror-state';
import { tableEditing } from 'prosemirror-tables';
import { EditorView, type NodeView } from 'prosemirror-view';
import { nameBeing } from '../families/mentions/offer.tsx';
import { parsed as shownHtml } from '../kernel/html.tsx';
import { t } from '../kernel/words.ts';
import { keys } from './keys.ts';
import { cleaned } from './paste.ts';
import { type Addresses, type Pictures, pictures } from './pictures.ts';
import { contentOf, documentOf, parsed } from './read.ts';
import { htmlOf } from './write.ts';

export interface Asked {
  html: string;
  addresses: Addresses;
  /** What the text box is called, and other attributes. */
  attributes: Record<string, string>;
  onInput: () => void;
  openLink: () => void;
  openToolbar: () => void;
  refused: (name: string) => void;
}
export interface Editing {
  view: EditorView;
  state: Signal<EditorState>;
  pictures: Pictures;
  /** The name that is being typed after an @. */
  naming: Signal<string | undefined>;
  html(): string;
}

export function edit(place: HTMLElement, asked: Asked): Editing {
  const naming = signal<string | undefined>(undefined);
  const images = pictures(asked.addresses, asked.refused);
  const did = (what: () => void) => () => {
    what();
    return true;
  };
  const state = signal(
    EditorState.create({
      doc: documentOf(asked.html),
      plugins: [
        images.plugin,
        ...keys(did(asked.openLink), did(asked.openToolbar)),
        history(),
        tableEditing(),
        dropCursor({ class: 'drop-cursor', color: false }),
        gapCursor(),
      ],
    }),
  );
  const view: EditorView = new EditorView(
    { mount: place },
    {
      state: state.value,
      attributes: { role: 'textbox', 'aria-multiline': 'true', class: 'prose', ...asked.attributes },
      transformPastedHTML: cleaned,
      handleKeyDown: (_, { key }) => {
        const isOffered = view.dom.hasAttribute('aria-controls');
        if (isOffered && key === 'Escape') naming.value = undefined;
        return isOffered && /^(Enter|Tab|Escape|ArrowUp|ArrowDown)$/.test(key);
      },
      handleDOMEvents: {
        blur: () => {
          naming.value = undefined;
        },
      },
      nodeViews: { kept: (node, of, getPos) => new KeptView(node.attrs.html, () => makeEditable(of, getPos())) },
      dispatchTransaction(change) {
        state.value = view.state.apply(change);
        view.updateState(state.value);
        if (change.docChanged) asked.onInput();
        naming.value = change.docChanged || change.selectionSet ? nameAt(state.value) : naming.value;
      },
    },
  );
  return { view, state, pictures: images, naming, html: () => htmlOf(view.state.doc) };
}

function nameAt({ selection: { $from, empty } }: EditorState): string | undefined {
  if (!empty || !$from.parent.inlineContent || $from.parent.type.spec.code) return undefined;
  return nameBeing($from.parent.textBetween(0, $from.parentOffset, undefined, ' '));
}

/** What the schema can say of it; the rest goes. */
function makeEditable(view: EditorView, at: number | undefined) {
  const kept = at === undefined ? null : view.state.doc.nodeAt(at);
  const element = kept && parsed(kept.attrs.html).firstElementChild;
  if (at === undefined || !element) return;
  view.dispatch(view.state.tr.replaceWith(at, at + kept.nodeSize, contentOf(element)));
  view.focus();
}

/** Shown as readers see it. */
class KeptView implements NodeView {
  readonly dom = document.createElement('div');
  constructor(html: string, change: () => void) {
    this.dom.className = 'kept';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button';
    button.textContent = t('editor.make_editable');
    button.addEventListener('click', change);
    const note = document.createElement('p');
    note.className = 'note';
    note.append(t('editor.kept'), ' ', button);
    const shown = document.createElement('div');
    shown.inert = true;
    shown.append(shownHtml(html));
    this.dom.append(note, shown);
  }
  stopEvent = ({ target }: Event) => target instanceof HTMLButtonElement;
  ignoreMutation = () => true;
}

// Pictures in a text: pasted, dropped or chosen, they stand there at once and are uploaded meanwhile.
import { type Signal, signal } from '@preact/signals';
import type { Node } from 'prosemirror-model';
import { type EditorState, Plugin } from 'prosemirror-state';
import type { EditorView, NodeView } from 'prosemirror-view';
import { upload } from '../kernel/upload.ts';
import { t } from '../kernel/words.ts';
import { schema } from './schema.ts';

/** Where the files are that the text names as asset://…. */
export type Addresses = Map<string, string>;

const LOCAL = /^(blob|data):/;
const isPicture = ({ type }: File) => /^image\/(png|jpeg|gif|webp|avif)$/.test(type);

export interface Pictures {
  plugin: Plugin;
  /** How many are on their way. */
  waiting: Signal<number>;
  add(view: EditorView, files: readonly File[], at?: number): boolean;
}
export function pictures(addresses: Addresses, refused: (name: string) => void): Pictures {
  const files = new Map<string, File>();
  const started = new Set<string>();
  /** What undoing and doing again may bring back. */
  const sent = new Map<string, object>();
  const waiting = signal(0);

  const add = (view: EditorView, some: readonly File[], at?: number) => {
    const shown = some.filter(isPicture);
    for (const file of shown) {
      const src = URL.createObjectURL(file);
      files.set(src, file);
      const figure = schema.node('figure', { src, alt: '', width: null, height: null });
      const { tr } = view.state;
      view.dispatch(at === undefined ? tr.replaceSelectionWith(figure) : tr.insert(at, figure));
    }
    return shown.length > 0;
  };

  /** All that show it, wherever they have gone meanwhile. */
  const replace = (view: EditorView, src: string, attrs: object | undefined) => {
    const found = places(view.state).filter(({ node }) => node.attrs.src === src);
    const { tr } = view.state;
    for (const { node, pos } of found.reverse())
      if (attrs) tr.setNodeMarkup(pos, null, { ...node.attrs, ...attrs });
      else tr.delete(pos, pos + node.nodeSize);
    view.dispatch(tr.setMeta('addToHistory', false));
  };
  const begin = async (view: EditorView, src: string) => {
    const file = files.get(src) ?? fileIn(src);
    started.add(src);
    waiting.value++;
    try {
      const { reference, width, height } = await upload(file);
      addresses.set(reference, src);
      sent.set(src, { src: reference, width, height });
      if (!view.isDestroyed) replace(view, src, sent.get(src));
    } catch {
      refused(file.name);
      if (!view.isDestroyed) replace(view, src, undefined);
    } finally {
      waiting.value--;
    }
  };
  const look = (view: EditorView) => {
    for (const { node } of places(view.state)) {
      const { src } = node.attrs;
      if (sent.has(src)) return replace(view, src, sent.get(src));
      if (LOCAL.test(src) && !started.has(src)) void begin(view, src);
    }
  };

  const plugin = new Plugin({
    view: (view) => {
      look(view);
      return { update: look };
    },
    props: {
      nodeViews: {
        figure: (node, view, getPos) => new FigureView(node, view, getPos, addresses),
        image: (node) => ({ dom: pictureOf(node, addresses) }),
      },
      handlePaste: (view, { clipboardData }) =>
        // Office programs add a picture of the text that was copied.
        !clipboardData?.getData('text/html').match(/<(p|table|h\d|li|div)\b/i) &&
        add(view, [...(clipboardData?.files ?? [])]),
      handleDrop: (view, event) => {
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
        const isTaken = add(view, [...(event.dataTransfer?.files ?? [])], at);
        if (isTaken) event.preventDefault();
        return isTaken;
      },
    },
  });
  return { plugin, waiting, add };
}

function places({ doc }: EditorState) {
  const found: { node: Node; pos: number }[] = [];
  doc.descendants((node, pos) => {
    if (node.type.name === 'figure' || node.type.name === 'image') found.push({ node, pos });
  });
  return found;
}
function fileIn(src: string): File {
  const [head = '', data = ''] = src.split(',');
  const [, type = 'image/png'] = /^data:([^;]+)/.exec(head) ?? [];
  return new File([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], `picture.${type.split('/')[1]}`, {
    type,
  });
}

function pictureOf({ attrs }: Node, addresses: Addresses) {
  const image = document.createElement('img');
  image.src = addresses.get(attrs.src) ?? attrs.src;
  image.alt = attrs.alt;
  return image;
}

/** The picture, what it shows for those who do not see it, and its caption. */
class FigureView implements NodeView {
  readonly dom = document.createElement('figure');
  readonly contentDOM = document.createElement('figcaption');
  readonly #alt = document.createElement('input');
  readonly #image: HTMLImageElement;
  readonly #addresses: Addresses;
  constructor(node: Node, view: EditorView, getPos: () => number | undefined, addresses: Addresses) {
    this.#addresses = addresses;
    this.#image = pictureOf(node, addresses);
    this.#alt.className = 'input';
    this.#alt.value = node.attrs.alt;
    this.#alt.placeholder = this.#alt.ariaLabel = t('editor.alt');
    this.#alt.addEventListener('input', () => {
      const at = getPos();
      const now = at === undefined ? undefined : view.state.doc.nodeAt(at);
      if (at !== undefined && now)
        view.dispatch(view.state.tr.setNodeMarkup(at, null, { ...now.attrs, alt: this.#alt.value }));
    });
    this.contentDOM.dataset.hint = t('editor.caption');
    const about = document.createElement('div');
    about.contentEditable = 'false';
    about.append(this.#image, this.#alt);
    this.dom.append(about, this.contentDOM);
    this.update(node);
  }
  update(node: Node) {
    if (node.type.name !== 'figure') return false;
    const { src, alt } = node.attrs;
    const address = this.#addresses.get(src) ?? src;
    if (this.#image.src !== address) this.#image.src = address;
    this.#image.alt = alt;
    if (this.#alt.value !== alt) this.#alt.value = alt;
    this.dom.ariaBusy = String(LOCAL.test(src));
    this.contentDOM.classList.toggle('blank', node.childCount === 0);
    return true;
  }
  stopEvent = ({ target }: Event) => target === this.#alt;
  ignoreMutation = ({ target }: { target: globalThis.Node }) => !this.contentDOM.contains(target);
}

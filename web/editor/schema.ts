// What a text may be made of. Each element is one that the server's sanitiser keeps as it is; what else a text holds, a
// `kept` block carries unchanged.
import { type DOMOutputSpec, type MarkSpec, type NodeSpec, Schema } from 'prosemirror-model';
import { hrefOf } from '../families/mentions/data.ts';

/** Documents of others have no right to blocks that are taken over unread: only this page knows the sign. */
const SIGN = Math.random().toString(36).slice(2);
/** `style` is renamed before a text is parsed: the page's policy refuses it in markup. */
export const STYLE = 'data-style';
const styleOf = (dom: HTMLElement) => dom.getAttribute(STYLE);

const ALIGNED = /^text-align: ?(left|right|center|justify|start|end);?$/;
const align = { default: null };
const alignOf = (dom: HTMLElement) => ALIGNED.exec(styleOf(dom) ?? '')?.[1] ?? null;
const aligned = (value: string | null) => (value ? { style: `text-align:${value}` } : {});

const numberOf = (dom: HTMLElement, name: string) => Number.parseInt(dom.getAttribute(name) ?? '', 10) || null;
const picture = {
  src: {},
  alt: { default: '' },
  width: { default: null },
  height: { default: null },
};
const pictureOf = (dom: Element | null) =>
  dom instanceof HTMLImageElement && {
    src: dom.getAttribute('src') ?? '',
    alt: dom.alt,
    width: numberOf(dom, 'width'),
    height: numberOf(dom, 'height'),
  };
const cell = { colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null } };
const cellOf = (dom: HTMLElement) => ({
  colspan: numberOf(dom, 'colspan') ?? 1,
  rowspan: numberOf(dom, 'rowspan') ?? 1,
});
const moreThanOne = (names: Record<string, number>) =>
  Object.fromEntries(Object.entries(names).filter(([, n]) => n > 1));
const spans = ({ colspan, rowspan }: Record<string, number>) =>
  moreThanOne({ colspan: colspan ?? 1, rowspan: rowspan ?? 1 });

/** Whole, for readers in mails and other programs. Teams have no page. */
const addressOf = (type: string, id: number) => {
  const path = hrefOf({ type: type as 'user', id, name: '' });
  return path && (globalThis.location?.origin ?? '') + path;
};
/** What runs when it is followed is no link. */
const FOLLOWED = /^(https?|ftp|mailto|tel|asset):|^[^:]*$/i;

export const calloutKinds = ['info', 'warning', 'success'] as const;

const nodes: Record<string, NodeSpec> = {
  doc: { content: '(block | kept)+' },
  paragraph: {
    group: 'block',
    content: 'inline*',
    attrs: { align },
    parseDOM: [{ tag: 'p', getAttrs: (dom) => ({ align: alignOf(dom) }) }],
    toDOM: ({ attrs }) => ['p', aligned(attrs.align), 0],
  },
  heading: {
    group: 'block',
    content: 'inline*',
    attrs: { level: { default: 2 }, align },
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({
      tag: `h${level}`,
      getAttrs: (dom: HTMLElement) => ({ level, align: alignOf(dom) }),
    })),
    toDOM: ({ attrs }) => [`h${attrs.level}`, aligned(attrs.align), 0],
  },
  blockquote: {
    group: 'block',
    content: 'block+',
    defining: true,
    parseDOM: [{ tag: 'blockquote' }],
    toDOM: () => ['blockquote', 0],
  },
  callout: {
    group: 'block',
    content: 'block+',
    attrs: { kind: { default: 'info' } },
    defining: true,
    parseDOM: calloutKinds.map((kind) => ({ tag: `div.callout.${kind}`, getAttrs: () => ({ kind }) })),
    toDOM: ({ attrs }) => ['div', { class: `callout ${attrs.kind}`, role: 'note' }, 0],
  },
  bullet_list: {
    group: 'block',
    content: 'list_item+',
    parseDOM: [{ tag: 'ul' }],
    toDOM: () => ['ul', 0],
  },
  ordered_list: {
    group: 'block',
    content: 'list_item+',
    attrs: { order: { default: 1 } },
    parseDOM: [{ tag: 'ol', getAttrs: (dom) => ({ order: numberOf(dom, 'start') ?? 1 }) }],
    toDOM: ({ attrs }) => ['ol', attrs.order === 1 ? {} : { start: String(attrs.order) }, 0],
  },
  list_item: {
    content: 'paragraph block*',
    defining: true,
    parseDOM: [{ tag: 'li' }],
    toDOM: () => ['li', 0],
  },
  code_block: {
    group: 'block',
    content: 'text*',
    marks: '',
    code: true,
    defining: true,
    parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
    toDOM: () => ['pre', ['code', 0]],
  },
  horizontal_rule: { group: 'block', parseDOM: [{ tag: 'hr' }], toDOM: () => ['hr'] },
  figure: {
    group: 'block',
    content: 'inline*',
    attrs: picture,
    isolating: true,
    draggable: true,
    parseDOM: [
      {
        tag: 'figure',
        getAttrs: (dom) => pictureOf(dom.querySelector('img')),
        contentElement: (dom) =>
          (dom as HTMLElement).querySelector<HTMLElement>('figcaption') ?? document.createElement('figcaption'),
      },
    ],
    toDOM: ({ attrs }) => ['figure', ['img', attrs], ['figcaption', 0]],
  },
  table: {
    group: 'block',
    content: 'table_row+',
    tableRole: 'table',
    isolating: true,
    parseDOM: [{ tag: 'table' }],
    toDOM: () => ['table', ['tbody', 0]],
  },
  table_row: {
    content: '(table_cell | table_header)+',
    tableRole: 'row',
    parseDOM: [{ tag: 'tr' }],
    toDOM: () => ['tr', 0],
  },
  table_cell: {
    content: 'block+',
    attrs: cell,
    tableRole: 'cell',
    isolating: true,
    parseDOM: [{ tag: 'td', getAttrs: cellOf }],
    toDOM: ({ attrs }) => ['td', spans(attrs), 0],
  },
  table_header: {
    content: 'block+',
    attrs: cell,
    tableRole: 'header_cell',
    isolating: true,
    parseDOM: [{ tag: 'th', getAttrs: cellOf }],
    toDOM: ({ attrs }) => ['th', spans(attrs), 0],
  },
  kept: {
    atom: true,
    draggable: true,
    attrs: { html: {} },
    parseDOM: [{ tag: `kept[data-sign="${SIGN}"]`, getAttrs: (dom) => ({ html: dom.dataset.html }) }],
    toDOM: ({ attrs }) => ['kept', { 'data-sign': SIGN, 'data-html': attrs.html }],
  },
  text: { group: 'inline' },
  hard_break: {
    group: 'inline',
    inline: true,
    selectable: false,
    parseDOM: [{ tag: 'br' }],
    toDOM: () => ['br'],
  },
  image: {
    group: 'inline',
    inline: true,
    attrs: picture,
    draggable: true,
    parseDOM: [{ tag: 'img[src]', getAttrs: pictureOf }],
    toDOM: ({ attrs }) => ['img', attrs],
  },
  mention: {
    group: 'inline',
    inline: true,
    atom: true,
    attrs: { type: {}, id: {}, name: {} },
    leafText: ({ attrs }) => `@${attrs.name}`,
    parseDOM: (['user', 'team', 'space'] as const).map((type) => ({
      tag: `a[data-${type}-id]`,
      priority: 60,
      getAttrs: (dom: HTMLElement) => ({
        type,
        id: Number(dom.getAttribute(`data-${type}-id`)),
        name: (dom.textContent ?? '').replace(/^@/, ''),
      }),
    })),
    toDOM: ({ attrs: { type, id, name } }): DOMOutputSpec => [
      'a',
      { [`data-${type}-id`]: String(id), href: addressOf(type, id) },
      `@${name}`,
    ],
  },
};

const marks: Record<string, MarkSpec> = {
  link: {
    attrs: { href: {} },
    inclusive: false,
    parseDOM: [
      {
        tag: 'a[href]',
        getAttrs: (dom) => FOLLOWED.test(dom.getAttribute('href') ?? '') && { href: dom.getAttribute('href') },
      },
    ],
    toDOM: ({ attrs }) => ['a', { href: attrs.href }, 0],
  },
  strong: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: () => ['strong', 0] },
  em: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: () => ['em', 0] },
  underline: { parseDOM: [{ tag: 'u' }], toDOM: () => ['u', 0] },
  strike: { parseDOM: [{ tag: 's' }, { tag: 'del' }, { tag: 'strike' }], toDOM: () => ['s', 0] },
  sub: { excludes: 'sup', parseDOM: [{ tag: 'sub' }], toDOM: () => ['sub', 0] },
  sup: { excludes: 'sub', parseDOM: [{ tag: 'sup' }], toDOM: () => ['sup', 0] },
  highlight: { parseDOM: [{ tag: 'mark' }], toDOM: () => ['mark', 0] },
  /** Colours and sizes of imported texts. */
  styled: {
    attrs: { style: {} },
    parseDOM: [{ tag: `span[${STYLE}]`, getAttrs: (dom) => ({ style: styleOf(dom) }) }],
    toDOM: ({ attrs }) => ['span', { style: attrs.style }, 0],
  },
  code: { parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
};

export const schema = new Schema({ nodes, marks });

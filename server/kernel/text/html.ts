import { createRequire } from 'node:module';
import type sanitize from 'sanitize-html';

const frames = [
  'www.youtube.com',
  'www.youtube-nocookie.com',
  'player.vimeo.com',
  'open.spotify.com',
  'docs.google.com',
  'forms.office.com',
  'app.powerbi.com',
  'web.microsoftstream.com',
];
const length = [/^-?\d+(\.\d+)?(px|em|rem|%|pt|vh|vw)?$/, /^auto$/];
const colour = [/^#[0-9a-f]{3,8}$/i, /^[a-z]{3,20}$/i, /^rgba?\([\d\s.,%/]+\)$/i, /^hsla?\([\d\s.,%/deg]+\)$/i];
const box = {
  'text-align': [/^(left|right|center|justify|start|end)$/],
  'vertical-align': [/^[a-z-]+$/],
  display: [/^(block|inline|inline-block|none|flex|table|table-cell)$/],
  float: [/^(left|right|none)$/],
};
const font = {
  'font-weight': [/^(\d{3}|bold|bolder|lighter|normal)$/],
  'font-style': [/^(italic|normal|oblique)$/],
  'font-size': length,
  'line-height': [/^[\d.]+(px|em|%)?$/],
  'text-decoration': [/^[a-z -]+$/],
  'white-space': [/^[a-z-]+$/],
  'list-style-type': [/^[a-z-]+$/],
};
const sized = Object.fromEntries(
  [
    'width',
    'height',
    'min-width',
    'max-width',
    'min-height',
    'max-height',
    ...['margin', 'padding'].flatMap((name) => [
      name,
      ...['top', 'right', 'bottom', 'left'].map((side) => `${name}-${side}`),
    ]),
  ].map((name) => [
    name,
    name === 'margin' || name === 'padding' ? [/^(-?\d+(\.\d+)?(px|em|rem|%|pt)?|auto|\s)+$/] : length,
  ]),
);

const optionsWith = (defaults: sanitize.IDefaults): sanitize.IOptions => ({
  allowedTags: [
    ...defaults.allowedTags,
    ...[
      'img',
      'figure',
      'figcaption',
      'picture',
      'source',
      'video',
      'audio',
      'iframe',
      'details',
      'summary',
      'del',
      'ins',
      'center',
      'font',
      'tt',
      'acronym',
      'big',
      'strike',
    ],
  ],
  allowedAttributes: {
    '*': ['class', 'id', 'title', 'lang', 'dir', 'style', 'align', 'valign', 'data-*', 'aria-*', 'role'],
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'srcset', 'alt', 'width', 'height', 'loading'],
    source: ['src', 'srcset', 'type', 'media'],
    video: ['src', 'poster', 'controls', 'width', 'height'],
    audio: ['src', 'controls'],
    iframe: ['src', 'width', 'height', 'allowfullscreen'],
    table: ['border', 'cellpadding', 'cellspacing', 'summary', 'width'],
    td: ['colspan', 'rowspan', 'headers', 'width', 'height', 'bgcolor'],
    th: ['colspan', 'rowspan', 'headers', 'scope', 'abbr', 'width', 'bgcolor'],
    col: ['span', 'width'],
    colgroup: ['span'],
    ol: ['start', 'type', 'reversed'],
    li: ['value'],
    font: ['color', 'size', 'face'],
    blockquote: ['cite'],
    time: ['datetime'],
    details: ['open'],
  },
  allowedSchemes: ['http', 'https', 'ftp', 'mailto', 'tel', 'asset'],
  allowedSchemesByTag: { img: ['http', 'https', 'asset', 'data'] },
  allowedIframeHostnames: frames,
  allowIframeRelativeUrls: false,
  allowedStyles: {
    '*': {
      color: colour,
      background: colour,
      'background-color': colour,
      'border-color': colour,
      border: [/^[\w\s.#%(),-]+$/],
      'border-radius': length,
      ...box,
      ...font,
      ...sized,
    },
  },
  exclusiveFilter: (frame) =>
    frame.tag === 'img' && /^data:(?!image\/(png|jpe?g|gif|webp);base64,)/i.test(frame.attribs.src ?? ''),
  // Their text is no text of the page.
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title'],
  // Text stays as it was written; only what could run goes.
  disallowedTagsMode: 'discard',
});

interface Cleaner {
  clean(html: string): string;
  words(html: string): string;
}
let cleaner: Cleaner | undefined;
/** Loaded with the first document: its parsers would be a tenth of the start. */
function loadCleaner(): Cleaner {
  const load = createRequire(import.meta.url)('sanitize-html') as typeof sanitize;
  const options = optionsWith(load.defaults);
  cleaner = {
    clean: (html) => load(html, options),
    words: (html) => load(html, { allowedTags: [], allowedAttributes: {} }),
  };
  return cleaner;
}

/** Safe to put into a page. Keeps classes, tables, images, listed frames and harmless inline styles: imports rely on it. */
export const sanitizeHtml = (html: string): string =>
  /[<&]/.test(html) ? (cleaner ?? loadCleaner()).clean(html) : html;

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
  '\u00a0': ' ',
};
/** The words of a document: a line for each block, without any markup. */
export const plainText = (html: string): string =>
  (cleaner ?? loadCleaner())
    .words(html.replace(/<(br|\/p|\/div|\/li|\/h[1-6]|\/tr|\/blockquote)\b[^>]*>/gi, '$&\n'))
    .replace(/&(amp|lt|gt|quot|nbsp);|\u00a0/g, (entity) => entities[entity] ?? entity)
    .replace(/[ \t]*\n\s*/g, '\n')
    .trim();

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;');
/** Plain text as a document: a paragraph for each block of lines, addresses as links. */
export const htmlOf = (text: string): string =>
  text
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map((block) => `<p>${linked(block).replace(/\r?\n/g, '<br />')}</p>`)
    .join('');
/** Signs that end a sentence or a quotation around an address are no part of it. */
const linked = (text: string) =>
  text
    .split(/(\bhttps?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]'])/g)
    .map((part, n) => (n % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join('');

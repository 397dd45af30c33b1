import { createRequire } from 'node:module';
import type sanitize from 'sanitize-html';
import { escaped } from '../../kernel/http/markup.ts';
import { extensionPoint } from '../../kernel/module.ts';

const words = (text: string) => text.trim().split(/\s+/);
const TAGS = words(`
  img figure figcaption picture source video audio iframe details summary del ins center font tt acronym big strike`);
const ATTRIBUTES: Record<string, string> = {
  '*': 'class id title lang dir style align valign data-* aria-* role',
  a: 'href name target rel',
  img: 'src srcset alt width height loading',
  source: 'src srcset type media',
  video: 'src poster controls width height',
  audio: 'src controls',
  iframe: 'src width height allowfullscreen',
  table: 'border cellpadding cellspacing summary width',
  td: 'colspan rowspan headers width height bgcolor',
  th: 'colspan rowspan headers scope abbr width bgcolor',
  col: 'span width',
  colgroup: 'span',
  ol: 'start type reversed',
  li: 'value',
  font: 'color size face',
  blockquote: 'cite',
  time: 'datetime',
  details: 'open',
};
/** Hosts whose pages may be shown inside content. */
export const frameHosts = extensionPoint<string>();
const LENGTH = /^(-?\d+(\.\d+)?(px|em|rem|%|pt|vh|vw)?|auto)$/;
const KEYWORD = /^[a-z-]+$/;
const STYLES: Record<string, RegExp> = {
  'color background background-color border-color':
    /^(#[0-9a-f]{3,8}|[a-z]{3,20}|rgba?\([\d\s.,%/]+\)|hsla?\([\d\s.,%/deg]+\))$/i,
  'width height min-width max-width min-height max-height border-radius font-size': LENGTH,
  'margin-top margin-right margin-bottom margin-left padding-top padding-right padding-bottom padding-left': LENGTH,
  'margin padding': /^(-?\d+(\.\d+)?(px|em|rem|%|pt)?|auto|\s)+$/,
  border: /^[\w\s.#%(),-]+$/,
  'vertical-align white-space list-style-type': KEYWORD,
  'text-decoration': /^[a-z -]+$/,
  'text-align': /^(left|right|center|justify|start|end)$/,
  display: /^(block|inline|inline-block|none|flex|table|table-cell)$/,
  float: /^(left|right|none)$/,
  'font-weight': /^(\d{3}|bold|bolder|lighter|normal)$/,
  'font-style': /^(italic|normal|oblique)$/,
  'line-height': /^[\d.]+(px|em|%)?$/,
};
const NO_PICTURE = /^data:(?!image\/(png|jpe?g|gif|webp);base64,)/i;

const optionsWith = (defaults: sanitize.IDefaults): sanitize.IOptions => ({
  allowedTags: [...defaults.allowedTags, ...TAGS],
  allowedAttributes: Object.fromEntries(Object.entries(ATTRIBUTES).map(([tag, names]) => [tag, words(names)])),
  allowedSchemes: words('http https ftp mailto tel asset'),
  allowedSchemesByTag: { img: words('http https asset data') },
  allowedIframeHostnames: [...frameHosts.all],
  allowIframeRelativeUrls: false,
  allowedStyles: {
    '*': Object.fromEntries(
      Object.entries(STYLES).flatMap(([names, value]) => words(names).map((name) => [name, [value]])),
    ),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && NO_PICTURE.test(attribs.src ?? ''),
  // Their text is no text of the page.
  nonTextTags: words('script style textarea option noscript title'),
  // Text stays as it was written; only what could run goes.
  disallowedTagsMode: 'discard',
});

const loadedWith = (load: typeof sanitize) => ({ load, options: optionsWith(load.defaults) });
let loaded: ReturnType<typeof loadedWith> | undefined;
/** Loaded with the first document: its parsers would be a tenth of the start. */
const sanitizer = () => (loaded ??= loadedWith(createRequire(import.meta.url)('sanitize-html')));

/** Safe to put into a page. Imports rely on what it keeps: classes, tables, images, listed frames, harmless styles. */
export function sanitizeHtml(html: string): string {
  if (!/[<&]/.test(html)) return html;
  const { load, options } = sanitizer();
  return load(html, options);
}

const BLOCK_END = /<(br|\/p|\/div|\/li|\/h[1-6]|\/tr|\/blockquote)\b[^>]*>/gi;
const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };
/** The words of a document: a line for each block, without any markup. */
export const plainText = (html: string): string =>
  sanitizer()
    .load(html.replace(BLOCK_END, '$&\n'), { allowedTags: [], allowedAttributes: {} })
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name) => SIGNS[name] ?? '')
    .replaceAll('\u00a0', ' ')
    .replace(/[ \t]*\n\s*/g, '\n')
    .trim();

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

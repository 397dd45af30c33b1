// What of a document is safe to put into a page. Plain work on text: html.ts runs it here or in a thread.
import { createRequire } from 'node:module';
import type sanitize from 'sanitize-html';

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
const LENGTH = /^(-?\d+(\.\d+)?(px|em|rem|%|pt|vh|vw)?|auto)$/;
const KEYWORD = /^[a-z-]+$/;
const STYLES: Record<string, RegExp> = {
  'color background background-color border-color':
    /^(#[0-9a-f]{3,8}|[a-z]{3,20}|rgba?\([\d\s.,%/]+\)|hsla?\([\d\s.,%/deg]+\))$/i,
  'width height min-width max-width min-height max-height border-radius font-size': LENGTH,
  'margin-top margin-right margin-bottom margin-left padding-top padding-right padding-bottom padding-left': LENGTH,
  'margin padding': /^(-?\d+(\.\d+)?(px|em|rem|%|pt)?|auto)(\s+(-?\d+(\.\d+)?(px|em|rem|%|pt)?|auto)){0,3}$/,
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

/** Deeper than any page that people write; what parses it takes as long for each element as it is deep. */
export const DEPTH_MAX = 256;
/** Their own parsers take longer than their length says; what is longer is no style of a page. */
const STYLE_MAX = 4000;
const SRCSET_MAX = 20_000;
const SRCSET_END = /,(?=\s)|(?<=\s[\d.]+[wx]),/;
/** Whether the sanitiser's parser of it, which prints what it does not know, knows it. */
const isSrcset = (text: string) =>
  text.length <= SRCSET_MAX &&
  text.split(SRCSET_END).every((candidate) => {
    const [, descriptor = '1x', ...more] = words(candidate);
    return /^\d+(\.\d+)?[wx]$/.test(descriptor) && more.length === 0;
  });
export class TooDeep extends Error {}

function optionsWith(defaults: sanitize.IDefaults, frameHosts: readonly string[]): sanitize.IOptions {
  let depth = 0;
  return {
    allowedTags: [...defaults.allowedTags, ...TAGS],
    allowedAttributes: Object.fromEntries(Object.entries(ATTRIBUTES).map(([tag, names]) => [tag, words(names)])),
    allowedSchemes: words('http https ftp mailto tel asset'),
    allowedSchemesByTag: { img: words('http https asset data') },
    allowedIframeHostnames: [...frameHosts],
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
    transformTags: {
      '*': (tagName, attribs) => {
        if ((attribs.style?.length ?? 0) > STYLE_MAX) delete attribs.style;
        if (attribs.srcset !== undefined && !isSrcset(attribs.srcset)) delete attribs.srcset;
        return { tagName, attribs };
      },
    },
    onOpenTag: () => {
      if (++depth > DEPTH_MAX) throw new TooDeep();
    },
    onCloseTag: () => void depth--,
  };
}

/** Loaded with the first document: its parsers would be a tenth of the start. */
let load: typeof sanitize | undefined;

/** Imports rely on what it keeps: classes, tables, images, listed frames, harmless styles. Throws `TooDeep`. */
export function sanitized(html: string, frameHosts: readonly string[]): string {
  load ??= createRequire(import.meta.url)('sanitize-html') as typeof sanitize;
  return load(html, optionsWith(load.defaults, frameHosts));
}

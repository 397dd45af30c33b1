// What is pasted, cleaned: Word, Google Docs and web pages mean their headings, lists and emphasis, not their fonts,
// colours and empty lines. What the schema does not know goes by itself; here is what would be misunderstood.
import { parsed } from './read.ts';
import { STYLE } from './schema.ts';

export function cleaned(html: string): string {
  // Copied in this editor, or one like it.
  if (html.includes('data-pm-slice')) return html.replaceAll(/(<[^>]*?)\sstyle=/gi, `$1 ${STYLE}=`);
  const all = parsed(html.replace(/^[\s\S]*<!--StartFragment-->|<!--EndFragment-->[\s\S]*$/g, ''));
  const each = (selector: string, change: (element: HTMLElement) => void) => {
    for (const element of all.querySelectorAll<HTMLElement>(selector)) change(element);
  };
  each('style, script, meta, link, title, xml, template, svg, iframe', (element) => element.remove());
  each('b[id^="docs-internal-guid"]', unwrap);
  each('*', (element) => {
    if (element.localName.includes(':')) unwrap(element);
  });
  wordLists(all);
  each('p.MsoTitle, p.MsoSubtitle', (element) => renamed(element, 'h1'));
  each('img', (image) => {
    if (!/^data:image\//.test(image.getAttribute('src') ?? '')) image.remove();
  });
  each(`span[${STYLE}], p[${STYLE}] > a`, emphasis);
  // The page's own title is the first heading.
  if (all.querySelector('h1'))
    for (const level of [5, 4, 3, 2, 1]) each(`h${level}`, (element) => renamed(element, `h${level + 1}`));
  each('h2, h3, h4, h5, h6', (heading) => {
    for (const bold of heading.querySelectorAll('b, strong')) unwrap(bold);
  });
  each('*', bare);
  // Between blocks a break is an empty line.
  each('br', (line) => {
    if (line.parentNode === all && BLOCK.test(line.previousElementSibling?.localName ?? 'p')) line.remove();
  });
  each('p, div', (block) => {
    if (!block.textContent?.trim() && !block.querySelector('img, table, hr, li')) block.remove();
  });
  const holder = document.createElement('div');
  holder.append(all);
  return holder.innerHTML;
}

const BLOCK = /^(p|h\d|ul|ol|table|div|blockquote|pre)$/;
const KEPT = /^(href|src|alt|colspan|rowspan|start|data-(user|team|space)-id)$/;
function bare(element: HTMLElement) {
  const { className } = element;
  for (const { name } of [...element.attributes]) if (!KEPT.test(name)) element.removeAttribute(name);
  if (/^callout (info|warning|success)$/.test(className)) element.className = className;
}
function unwrap(element: Element) {
  element.replaceWith(...element.childNodes);
}
function renamed(element: Element, name: string): HTMLElement {
  const made = document.createElement(name);
  made.append(...element.childNodes);
  element.replaceWith(made);
  return made;
}

const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/font-weight:\s*(bold|[6-9]00)/, 'strong'],
  [/font-style:\s*italic/, 'em'],
  [/text-decoration[^;]*:\s*[^;]*line-through/, 's'],
  [/vertical-align:\s*super/, 'sup'],
  [/vertical-align:\s*sub/, 'sub'],
];
/** Google Docs says by style what it means. */
function emphasis(element: HTMLElement) {
  const style = element.getAttribute(STYLE) ?? '';
  for (const [means, name] of MEANINGS)
    if (means.test(style)) {
      const mark = document.createElement(name);
      mark.append(...element.childNodes);
      element.append(mark);
    }
}

/** Word writes the items of lists as paragraphs that say their level; the bullet or number is text. */
function wordLists(all: DocumentFragment) {
  const open: HTMLElement[] = [];
  let current: string | undefined;
  for (const item of all.querySelectorAll<HTMLElement>('p')) {
    const [, list, level] = /mso-list:\s*(l\d+) level(\d)/.exec(item.getAttribute(STYLE) ?? '') ?? [];
    if (!level) {
      open.length = 0;
      continue;
    }
    const sign = item.querySelector(`[${STYLE}*="mso-list"]`);
    const isNumbered = /^\W*\w{1,3}[.)]/.test(sign?.textContent ?? '');
    sign?.remove();
    if (item.previousElementSibling !== open[0] || list !== current) open.length = 0;
    current = list;
    open.length = Math.min(open.length, Number(level));
    while (open.length < Number(level)) {
      const made = document.createElement(isNumbered ? 'ol' : 'ul');
      const above = open.at(-1);
      if (above) (above.lastElementChild ?? above.appendChild(document.createElement('li'))).append(made);
      else item.before(made);
      open.push(made);
    }
    const entry = document.createElement('li');
    entry.append(...item.childNodes);
    open.at(-1)?.append(entry);
    item.remove();
  }
}

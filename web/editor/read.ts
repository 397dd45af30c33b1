// HTML of the server as a document. What the editor would lose or change stays, whole, in a block that is only shown.
import { DOMParser, Fragment, type Node } from 'prosemirror-model';
import { STYLE, schema } from './schema.ts';
import { htmlOf, written } from './write.ts';

const BLOCKS = new Set(
  `address article aside blockquote center details div dl figure footer h1 h2 h3 h4 h5 h6 header hr iframe main nav ol p
  pre section table ul video audio picture`.split(/\s+/),
);
const isBlock = (node: globalThis.Node) => BLOCKS.has(node.nodeName.toLowerCase());
const isBlank = (node: globalThis.Node) => node.nodeType === 3 && !node.textContent?.trim();

export function parsed(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html.replaceAll(/(<[^>]*?)\sstyle=/gi, `$1 ${STYLE}=`);
  return template.content;
}

export function documentOf(html: string): Node {
  const blocks = blocksOf(parsed(html));
  return schema.node('doc', null, blocks.length > 0 ? blocks : [schema.node('paragraph')]);
}
const blocksOf = (parent: ParentNode & globalThis.Node): Node[] =>
  groupsIn(parent).flatMap((element) => {
    const isWrapping = element.tagName === 'DIV' && element.attributes.length === 0;
    if (isWrapping && [...element.children].some(isBlock)) return blocksOf(element);
    const made = contentOf(element);
    return isSame(element, made) ? made : [schema.node('kept', { html: written(element) })];
  });

/** The blocks, and what stands between them as paragraphs. */
function groupsIn(parent: ParentNode & globalThis.Node): Element[] {
  const groups: Element[] = [];
  let between: HTMLElement | undefined;
  for (const node of [...parent.childNodes]) {
    if (node.nodeType === 8 || (isBlank(node) && !between)) continue;
    if (isBlock(node)) {
      between = undefined;
      groups.push(node as Element);
    } else {
      if (!between) {
        between = document.createElement('p');
        groups.push(between);
      }
      between.append(node);
    }
  }
  return groups;
}
/** As well as the schema can say it. */
export function contentOf(element: globalThis.Node): Node[] {
  const holder = document.createElement('div');
  holder.append(element.cloneNode(true));
  return [...DOMParser.fromSchema(schema).parse(holder).content.content];
}

/** The same but for what nobody sees: spaces between blocks, names that mean the same, what is implied. */
function isSame(element: Element, made: Node[]): boolean {
  const again = parsed(htmlOf(schema.node('doc', null, Fragment.from(made))));
  const before = document.createDocumentFragment();
  before.append(element.cloneNode(true));
  return bare(before).isEqualNode(bare(again));
}
const SYNONYMS: Record<string, string> = { b: 'strong', i: 'em', strike: 's', del: 's' };
const IMPLIED = 'thead, tbody, li > p:only-of-type, td > p:only-of-type, th > p:only-of-type, pre > code';
function bare(all: DocumentFragment): DocumentFragment {
  for (const element of [...all.querySelectorAll(IMPLIED)])
    if (element.attributes.length === 0) element.replaceWith(...element.childNodes);
  for (const element of [...all.querySelectorAll<HTMLElement>('*')]) tidy(element);
  all.normalize();
  const walker = document.createTreeWalker(all, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) if (!text.parentElement?.closest('pre')) collapse(text);
  all.normalize();
  return all;
}
function tidy(element: HTMLElement) {
  const name = SYNONYMS[element.localName];
  // A mention is who it names, wherever its link leads; how others open a link is for this page to decide.
  if (element.matches('a[data-user-id], a[data-team-id], a[data-space-id]')) element.removeAttribute('href');
  for (const attribute of ['target', 'rel', 'loading']) element.removeAttribute(attribute);
  if (element.localName === 'img' && !element.hasAttribute('alt')) element.setAttribute('alt', '');
  const style = element.getAttribute(STYLE);
  if (style !== null) element.setAttribute(STYLE, style.replaceAll(/\s*([:;])\s*/g, '$1').replace(/;$/, ''));
  if (!name) return;
  const renamed = document.createElement(name);
  renamed.append(...element.childNodes);
  for (const { name: key, value } of [...element.attributes]) renamed.setAttribute(key, value);
  element.replaceWith(renamed);
}
function collapse(text: Text) {
  const atEdge = (beside: ChildNode | null) => !beside || isBlock(beside) || beside.nodeName === 'BR';
  let words = text.data.replaceAll(/[ \t\r\n]+/g, ' ');
  const isInBlock =
    text.parentNode &&
    (isBlock(text.parentNode) || /^(LI|TD|TH|TR|FIGCAPTION|#document-fragment)$/.test(text.parentNode.nodeName));
  if (isInBlock && atEdge(text.previousSibling)) words = words.replace(/^ /, '');
  if (isInBlock && atEdge(text.nextSibling)) words = words.replace(/ $/, '');
  if (words === '') text.remove();
  else text.data = words;
}

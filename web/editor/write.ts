// A document as HTML, sign for sign as the server's sanitiser would write it: what is sent is what is kept.
//
// The serializer of the schema makes elements; here they are made by a document that can do no more than to be written.
import { DOMSerializer, type Node } from 'prosemirror-model';
import { STYLE, schema } from './schema.ts';

const VOID = /^(br|hr|img)$/;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const quoted = (text: string) => escaped(text).replaceAll('"', '&quot;');

class Part {
  readonly nodeType = 1;
  readonly name: string;
  readonly text: string;
  children: Part[] = [];
  readonly attributes = new Map<string, string>();
  constructor(name: string, text = '') {
    this.name = name;
    this.text = text;
  }
  appendChild(child: Part) {
    this.children.push(child);
  }
  setAttribute(name: string, value: unknown) {
    this.attributes.set(name, String(value));
  }
  written(): string {
    const { name, attributes } = this;
    if (name === '#text') return escaped(this.text);
    if (name === 'kept') return attributes.get('data-html') ?? '';
    const inside = usual(this)
      .map((child) => child.written())
      .join('');
    if (name === '#all') return inside;
    if (name === 'figcaption' && inside === '') return '';
    const opened = [name, ...[...attributes].map(([key, value]) => `${key}="${quoted(value)}"`)].join(' ');
    return VOID.test(name) ? `<${opened} />` : `<${opened}>${inside}</${name}>`;
  }
}

/** As people write it by hand: no paragraph alone in an item or a cell, and what heads a table in a head of its own. */
function usual({ name, children }: Part): Part[] {
  const [first, ...others] = children;
  if (name === 'table' && first) return rowGroups(first.children);
  const isHolder = name === 'li' || name === 'td' || name === 'th';
  const isPlain = first?.name === 'p' && first.attributes.size === 0;
  const isAlone = !others.some((one) => one.name === 'p');
  return isHolder && first && isPlain && isAlone ? [...first.children, ...others] : children;
}
function rowGroups(rows: Part[]): Part[] {
  const isHead = (row: Part) => row.children.every((one) => one.name === 'th');
  const body = rows.findIndex((row) => !isHead(row));
  const group = (name: string, some: Part[]) => {
    const made = new Part(name);
    made.children = some;
    return some.length > 0 ? [made] : [];
  };
  // A table of nothing but heads has no body to head.
  return body < 1
    ? group('tbody', rows)
    : [...group('thead', rows.slice(0, body)), ...group('tbody', rows.slice(body))];
}

const writing = {
  createDocumentFragment: () => new Part('#all'),
  createElement: (name: string) => new Part(name),
  createTextNode: (text: string) => new Part('#text', text),
} as unknown as Document;

/** What the schema does not know, unchanged. */
export function written(node: globalThis.Node): string {
  if (node.nodeType === 3) return escaped(node.textContent ?? '');
  if (!(node instanceof Element)) return '';
  const inside = [...node.childNodes].map(written).join('');
  const attributes = [...node.attributes].map(({ name, value }) => {
    const known = name === STYLE ? 'style' : name;
    return value === '' && known !== 'alt' ? known : `${known}="${quoted(value)}"`;
  });
  const opened = [node.localName, ...attributes].join(' ');
  return VOID.test(node.localName) ? `<${opened} />` : `<${opened}>${inside}</${node.localName}>`;
}

/** Nothing where nothing is written. */
export function htmlOf(document: Node): string {
  const { childCount, firstChild } = document;
  if (childCount === 1 && firstChild?.type.name === 'paragraph' && firstChild.childCount === 0) return '';
  const all = DOMSerializer.fromSchema(schema).serializeFragment(document.content, { document: writing });
  return (all as unknown as Part).written();
}

// The entries as people and feed readers get them: a page (HTML) and a feed (Atom, RFC 4287).
import { hash } from 'node:crypto';
import { markdown } from '../../kernel/html/markdown.ts';
import { documentPage } from '../../kernel/http/document-page.ts';
import { escaped } from '../../kernel/http/markup.ts';
import { changeKinds, type Entry } from './entries.ts';

const touchedBy = ({ touches }: Entry) =>
  changeKinds
    .filter((kind) => touches[kind].length > 0)
    .map((kind) => `<p>${kind}: ${touches[kind].map((name) => `<code>${escaped(name)}</code>`).join(', ')}</p>`)
    .join('\n');
const contentOf = async (entry: Entry) => {
  const breaking = entry.breaking === null ? '' : `**Breaking:** ${entry.breaking}\n\n`;
  return `${await markdown(breaking + entry.text)}\n${touchedBy(entry)}`;
};

export const pageOf = async (entries: readonly Entry[]) =>
  documentPage(
    'Changes of the interface',
    `<h1>Changes of the interface</h1>
<p><a href="/docs">API reference</a> · <a href="/docs/guides">Guides</a> · <a href="/changelog.atom">Feed</a></p>
${(await Promise.all(entries.map(articleOf))).join('\n')}`,
    '<link rel="alternate" type="application/atom+xml" href="/changelog.atom" title="Changes of the interface">\n',
  );
const articleOf = async (entry: Entry) => `<article id="${entry.id}">
<h2><a href="#${entry.id}">${escaped(entry.title)}</a></h2>
<p><time datetime="${entry.date}">${entry.date}</time></p>
${await contentOf(entry)}
</article>`;

/** The same wherever it is served from. */
function urnOf(name: string): string {
  const hex = hash('sha1', `atrium changelog ${name}`);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const tail = `${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${tail}`;
}
const momentOf = (date: string) => `${date}T00:00:00Z`;

/** `address` is that of this server. */
export const feedOf = async (entries: readonly Entry[], address: string) => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${urnOf('')}</id>
<title>Changes of the interface</title>
<updated>${momentOf(entries[0]?.date ?? '1970-01-01')}</updated>
<author><name>Atrium</name></author>
<link rel="self" type="application/atom+xml" href="${escaped(address)}/changelog.atom"/>
<link rel="alternate" type="text/html" href="${escaped(address)}/changelog"/>
${(await Promise.all(entries.map((entry) => feedEntry(entry, address)))).join('\n')}
</feed>
`;
const feedEntry = async (entry: Entry, address: string) => `<entry>
<id>${urnOf(entry.id)}</id>
<title>${escaped(entry.title)}</title>
<updated>${momentOf(entry.date)}</updated>
<link rel="alternate" type="text/html" href="${escaped(address)}/changelog#${entry.id}"/>
${[...changeKinds.filter((kind) => entry.touches[kind].length > 0), ...(entry.breaking === null ? [] : ['breaking'])]
  .map((term) => `<category term="${term}"/>`)
  .join('')}
<content type="html">${escaped(await contentOf(entry))}</content>
</entry>`;

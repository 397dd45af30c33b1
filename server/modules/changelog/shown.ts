// The entries as people and feed readers get them: a page (HTML) and a feed (Atom, RFC 4287).
import { hash } from 'node:crypto';
import { escaped } from '../../kernel/http/markup.ts';
import { changeKinds, type Entry } from './entries.ts';

const inline = (text: string) => escaped(text.replaceAll('\n', ' ')).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
function htmlOf(text: string): string {
  const blocks = text.split(/\n\n+/).map((block) => {
    if (!block.startsWith('- ')) return `<p>${inline(block)}</p>`;
    const items = block.split(/\n(?=- )/).map((item) => `<li>${inline(item.slice(2).replaceAll(/\n\s+/g, ' '))}</li>`);
    return `<ul>${items.join('')}</ul>`;
  });
  return blocks.join('\n');
}
const touchedBy = ({ touches }: Entry) =>
  changeKinds
    .filter((kind) => touches[kind].length > 0)
    .map((kind) => `<p>${kind}: ${touches[kind].map((name) => `<code>${escaped(name)}</code>`).join(', ')}</p>`)
    .join('\n');
const breakingOf = ({ breaking }: Entry) =>
  breaking === null ? '' : `<p><strong>Breaking:</strong> ${inline(breaking)}</p>\n`;
const contentOf = (entry: Entry) => `${breakingOf(entry)}${htmlOf(entry.text)}\n${touchedBy(entry)}`;

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}' +
  'code{font-size:.9em}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}a{color:#9cf}}';
export const POLICY =
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const pageOf = (entries: readonly Entry[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Changes of the interface</title>
<link rel="alternate" type="application/atom+xml" href="/changelog.atom" title="Changes of the interface">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Changes of the interface</h1>
<p><a href="/docs">API reference</a> · <a href="/changelog.atom">Feed</a></p>
${entries
  .map(
    (entry) => `<article id="${entry.id}">
<h2><a href="#${entry.id}">${escaped(entry.title)}</a></h2>
<p><time datetime="${entry.date}">${entry.date}</time></p>
${contentOf(entry)}
</article>`,
  )
  .join('\n')}
</main>
</body>
</html>
`;

/** The same wherever it is served from. */
function urnOf(name: string): string {
  const hex = hash('sha1', `atrium changelog ${name}`);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const tail = `${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${tail}`;
}
const momentOf = (date: string) => `${date}T00:00:00Z`;

/** `address` is that of this server. */
export const feedOf = (entries: readonly Entry[], address: string) => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${urnOf('')}</id>
<title>Changes of the interface</title>
<updated>${momentOf(entries[0]?.date ?? '1970-01-01')}</updated>
<author><name>Atrium</name></author>
<link rel="self" type="application/atom+xml" href="${escaped(address)}/changelog.atom"/>
<link rel="alternate" type="text/html" href="${escaped(address)}/changelog"/>
${entries
  .map(
    (entry) => `<entry>
<id>${urnOf(entry.id)}</id>
<title>${escaped(entry.title)}</title>
<updated>${momentOf(entry.date)}</updated>
<link rel="alternate" type="text/html" href="${escaped(address)}/changelog#${entry.id}"/>
${[...changeKinds.filter((kind) => entry.touches[kind].length > 0), ...(entry.breaking === null ? [] : ['breaking'])]
  .map((term) => `<category term="${term}"/>`)
  .join('')}
<content type="html">${escaped(contentOf(entry))}</content>
</entry>`,
  )
  .join('\n')}
</feed>
`;

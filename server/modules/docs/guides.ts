// The guides of docs/guides, as pages at /docs/guides with a search over their chapters. Examples name this server.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { anchorOf, markdown } from '../../kernel/html/markdown.ts';
import { DOCUMENT_POLICY, documentPage } from '../../kernel/http/document-page.ts';
import { escaped } from '../../kernel/http/markup.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/guides');
const PATH = '/docs/guides';
/** What the examples ask, wherever this server is. */
const WRITTEN_ADDRESS = /http:\/\/127\.0\.0\.1:4000(?=\/(v1|scim|mcp)\b)/g;

interface Guide {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}
interface Chapter {
  readonly id: string;
  readonly guide: string;
  readonly title: string;
  readonly text: string;
}

const readGuides = (): Guide[] =>
  globSync('*.md', { cwd: FOLDER })
    .sort()
    .map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const name = basename(file, '.md');
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
    });

const chaptersOf = ({ name, title, text }: Guide): Chapter[] =>
  text.split(/^(?=##? )/m).map((chapter) => {
    const heading = /^##? (.+)$/m.exec(chapter)?.[1] ?? title;
    return { id: `${name}#${anchorOf(heading)}`, guide: title, title: heading, text: chapter };
  });

/** Of links between guides; what is only in the repository has no address here. */
const addressOf = (written: string) =>
  /^(https?:|\/|#)/.test(written)
    ? written
    : /^\w[\w-]*\.md(#|$)/.test(written)
      ? `${PATH}/${written.replace('.md', '')}`
      : undefined;

async function createSearch(chapters: readonly Chapter[]) {
  const { default: MiniSearch } = await import('minisearch');
  const index = new MiniSearch<Chapter>({
    fields: ['title', 'guide', 'text'],
    storeFields: ['guide', 'title', 'text'],
  });
  index.addAll(chapters);
  const options = { boost: { title: 4, guide: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' } as const;
  return (words: string) =>
    index.search(words, options).map(({ terms, ...found }) => ({ ...(found as unknown as Chapter), terms }));
}

const AROUND = 80;
/** The words about the first hit. */
function snippetOf(text: string, terms: readonly string[]): string {
  const plain = text.replaceAll(/[`#|*]|\]\([^)]*\)|\[/g, '').replaceAll(/\s+/g, ' ');
  const at = Math.max(0, plain.toLowerCase().indexOf(terms[0] ?? ''));
  const start = plain.lastIndexOf(' ', Math.max(0, at - AROUND)) + 1;
  return `… ${plain.slice(start, at + 2 * AROUND)} …`;
}

const form = (words: string) => `<search><form action="${PATH}" method="get">
<input type="search" name="q" value="${escaped(words)}" aria-label="Search the guides"> <button>Search</button>
</form></search>`;
const WAYS = `<p><a href="${PATH}">Guides</a> · <a href="/docs">API reference</a> ·
<a href="/changelog">Changes</a></p>`;

export function mountGuides(app: FastifyInstance) {
  let guides: readonly Guide[] | undefined;
  let search: ReturnType<typeof createSearch> | undefined;
  const all = () => (guides ??= readGuides());
  const found = async (words: string) => {
    search ??= createSearch(all().flatMap(chaptersOf));
    return (await search)(words);
  };
  const show = (reply: FastifyReply, title: string, body: string) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', DOCUMENT_POLICY)
      .send(documentPage(title, body));
  app.get<{ Querystring: { q?: unknown } }>(PATH, async ({ query }, reply) => {
    const words = typeof query.q === 'string' ? query.q.slice(0, 200) : '';
    const body = words.trim() === '' ? listOf(all()) : foundOf(await found(words));
    return show(reply, 'Guides', `<h1>Guides</h1>\n${WAYS}\n${form(words)}\n${body}`);
  });
  app.get<{ Params: { name: string } }>(`${PATH}/:name`, async ({ params, protocol, host }, reply) => {
    const guide = all().find(({ name }) => name === params.name) ?? refuseNotFound();
    const text = guide.text.replaceAll(WRITTEN_ADDRESS, `${protocol}://${host}`);
    return show(reply, guide.title, `${WAYS}\n${form('')}\n${await markdown(text, addressOf)}`);
  });
}

const listOf = (guides: readonly Guide[]) =>
  `<ul>${guides.map(({ name, title }) => `<li><a href="${PATH}/${name}">${escaped(title)}</a></li>`).join('\n')}</ul>`;

const foundOf = (found: readonly (Chapter & { terms: string[] })[]) =>
  found.length === 0
    ? '<p role="status">No chapter has these words.</p>'
    : `<ol>${found
        .slice(0, 20)
        .map(
          ({ id, guide, title, text, terms }) =>
            `<li><a href="${PATH}/${id}">${escaped(title)}</a> (${escaped(guide)})
<br>${escaped(snippetOf(text, terms))}</li>`,
        )
        .join('\n')}</ol>`;

// Real input: the HTML documentation that comes with npm and Debian packages, imported as a tree and read back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { Parser } from 'htmlparser2';
import { sanitizedHtml } from './kernel/html/html.ts';
import { startAtrium } from './testing/atrium.ts';

const WANTED = 120;
/** npm's own documentation, which is wherever npm is. */
const LEAST = 80;
const atrium = await startAtrium();

interface Document {
  folder: string;
  title: string;
  html: string;
  external_id: number;
}

/** Folders that hold documentation on any machine with npm: npm's own, then what Debian and installed packages ship. */
function findDocuments(): Document[] {
  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  const roots = [
    join(dirname(npm), '..'),
    '/usr/share/doc',
    '/usr/share/perl',
    '/usr/share',
    join(import.meta.dirname, '../node_modules'),
  ].filter((root) => existsSync(root));
  const files = new Map<string, string>();
  for (const root of roots) {
    for (const file of globSync('**/*.{html,htm}', { cwd: root })) {
      const path = join(root, file);
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
      const text = readFileSync(path);
      // Too small to be a document, or too large for a page.
      if (text.length > 400 && text.length < 1_500_000 && text.equals(Buffer.from(text.toString('utf8'))))
        files.set(realpathSync(path), text.toString('utf8'));
    }
    if (files.size >= WANTED) break;
  }
  const seen = new Set<string>();
  return [...files].flatMap(([path, html], n) => {
    const digest = createHash('sha1').update(html).digest('hex');
    if (seen.has(digest)) return [];
    seen.add(digest);
    return [
      {
        folder: dirname(path),
        title: `${basename(path)} ${n}`.slice(0, 500),
        html: html.replaceAll('\0', ''),
        external_id: 100_000 + n,
      },
    ];
  });
}

const documents = findDocuments().slice(0, WANTED);
const folders = [...new Set(documents.map(({ folder }) => folder))].map((folder, n) => ({
  folder,
  title: folder,
  html: '<p>A folder.</p>',
  external_id: 50_000 + n,
}));
const folderId = new Map(folders.map(({ folder, external_id }) => [folder, external_id]));
const everything = [
  ...folders.map((folder) => ({ ...folder, parent: undefined as number | undefined })),
  ...documents.map((document) => ({ ...document, parent: folderId.get(document.folder) })),
];

/** As an importer does it: PUT by external id, and POST what does not exist yet. */
async function importAll() {
  const counts = { created: 0, replaced: 0 };
  for (const { title, html, external_id, parent } of everything) {
    const fields = { title, html_content: html, space_id: '2' };
    const put = await atrium.call('PUT', `/v1/pages/by-external-id/${external_id}`, { form: fields });
    if (put.status === 200) {
      counts.replaced++;
      continue;
    }
    assert.equal(put.status, 404, JSON.stringify(put.body));
    const post = await atrium.call('POST', '/v1/pages', {
      form: { ...fields, external_id: String(external_id), ...(parent ? { external_parent_id: String(parent) } : {}) },
    });
    assert.equal(post.status, 201, `${title}: ${JSON.stringify(post.body).slice(0, 300)}`);
    counts.created++;
  }
  return counts;
}

/** Whose text goes with them. */
const silentTags = ['script', 'style', 'textarea', 'option', 'noscript', 'title'];

/** What a document consists of: its text, and how often each tag and attribute occurs. */
function partsOf(html: string) {
  const parts = new Map<string, number>();
  let text = '';
  let silent = 0;
  const count = (name: string) => parts.set(name, (parts.get(name) ?? 0) + 1);
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (silentTags.includes(name)) silent++;
        count(`<${name}>`);
        for (const attribute of Object.keys(attributes)) count(`<${name} ${attribute}>`);
      },
      onclosetag(name) {
        if (silentTags.includes(name)) silent--;
      },
      ontext(words) {
        if (silent === 0) text += words;
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return { parts, text: text.replace(/\s+/g, ' ').trim() };
}

test(`the documents of this machine are imported as a tree and read back, \
equal but for what sanitising removes`, async (t) => {
  assert.ok(documents.length >= LEAST, `only ${documents.length} documents found on this machine`);
  assert.deepEqual(await importAll(), { created: everything.length, replaced: 0 });

  const [removed, found] = [new Map<string, number>(), new Map<string, number>()];
  for (const { title, html, external_id, parent } of everything) {
    const page = (await atrium.call('GET', `/v1/pages/by-external-id/${external_id}`)).body.data;
    assert.deepEqual([page.title, page.external_parent_id], [title, parent ?? null]);
    // A form carries line breaks as CRLF.
    assert.equal(page.html_content, await sanitizedHtml(html.replace(/\r\n|\r|\n/g, '\r\n'), 'html_content'));
    const again = await sanitizedHtml(page.html_content, 'html_content');
    assert.equal(again, page.html_content, `${title}: sanitising again changes nothing`);
    const [before, after] = [partsOf(html), partsOf(page.html_content)];
    assert.ok(after.text.length >= before.text.length * 0.98, `${title}: the text is kept`);
    for (const part of ['<script>', '<style>', '<meta>', '<link>', '<object>', '<form>'])
      assert.equal(after.parts.has(part), false, `${title}: ${part}`);
    for (const [part, count] of before.parts) {
      found.set(part, (found.get(part) ?? 0) + count);
      const lost = count - (after.parts.get(part) ?? 0);
      if (lost > 0) removed.set(part, (removed.get(part) ?? 0) + lost);
    }
  }
  for (const part of [
    '<p>',
    '<table>',
    '<td>',
    '<a>',
    '<h2>',
    '<pre>',
    '<code>',
    '<a href>',
    '<p class>',
    '<div class>',
    '<td colspan>',
    '<h2 id>',
  ])
    assert.ok(
      (removed.get(part) ?? 0) <= 0.02 * (found.get(part) ?? 0),
      `${part} lost ${removed.get(part)} of ${found.get(part)} times`,
    );
  const top = [...removed]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, 40)
    .map(([part, count]) => `${part} ${count} of ${found.get(part)}`);
  t.diagnostic(`${documents.length} documents in ${folders.length} folders; removed: ${top.join(', ')}`);

  const listed: number[] = [];
  let path: string | null = '/v1/pages?space_id=2&take=100';
  while (path) {
    const {
      body,
    }: {
      body: {
        data: { external_id: number }[];
        meta: { pagination: { next_page: string | null; total_records: number } };
      };
    } = await atrium.call('GET', path);
    assert.equal(body.meta.pagination.total_records, everything.length);
    listed.push(...body.data.map(({ external_id }) => external_id));
    path =
      body.meta.pagination.next_page &&
      new URL(body.meta.pagination.next_page).pathname + new URL(body.meta.pagination.next_page).search;
  }
  assert.deepEqual(
    listed.toSorted((a, b) => a - b),
    everything.map(({ external_id }) => external_id).toSorted((a, b) => a - b),
  );
});

test('the same import again changes nothing and creates nothing', async () => {
  const state = () =>
    atrium.rows(
      `select (select count(*) from pages) as pages,
         (select md5(string_agg(p::text, '' order by id)) from pages p) as contents,
         (select count(*) from outbox) as events`,
    );
  const before = await state();
  assert.deepEqual(await importAll(), { created: 0, replaced: everything.length });
  assert.deepEqual(await state(), before);
});

// What the editor writes is what the server keeps, and what it read before it gives back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { sanitized } from '../../server/kernel/html/sanitizer.ts';
import { chromiumPath, noBrowser } from '../../server/testing/browser.ts';
import { calloutKinds, schema } from '../editor/schema.ts';
import { htmlOf } from '../editor/write.ts';
import { pasted } from './pasted.ts';

const FRAMES = ['www.youtube-nocookie.com'];
const kept = (html: string) => sanitized(html, FRAMES);

type Json = ReturnType<ReturnType<typeof schema.node>['toJSON']>;
/** Numbers that are the same in every run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
const WORDS = ['Öffnung', 'a < b & "c"', "it's", 'مرحبا', '你好', 'x\u00a0y', '&lt;b&gt;', 'end', '😀'];

/** A document of anything that the schema knows, in any order. */
function randomDocument(seed: number) {
  const n = numbers(seed);
  const one = <T>(some: readonly T[]) => some[n(some.length)] as T;
  const many = <T>(make: () => T, most: number) => Array.from({ length: n(most) + 1 }, make);
  const marksOf = () =>
    Object.values(schema.marks)
      .filter(() => n(9) === 0)
      .filter(({ name }, _, all) => name !== 'sup' || !all.some((other) => other.name === 'sub'))
      .map((type) => {
        const attrs = { link: { href: 'https://a.example/?b=1&c="2"' }, styled: { style: 'color:red' } }[type.name];
        return type.create(attrs);
      });
  const inline = () => {
    const kind = n(8);
    if (kind === 0) return schema.node('hard_break');
    if (kind === 1)
      return schema.node('mention', { type: one(['user', 'team', 'space']), id: n(99) + 1, name: one(WORDS) });
    if (kind === 2) return schema.node('image', { src: `asset://${n(9) + 1}`, alt: one(WORDS) });
    return schema.text(`${one(WORDS)}`, marksOf());
  };
  /** It begins and ends with what is no break: at an edge a break says nothing. */
  const line = () => [schema.text(`(${one(WORDS)}`), ...many(inline, 4), schema.text(`${one(WORDS)})`)];
  const align = () => (n(6) === 0 ? { align: one(['center', 'right', 'end']) } : null);
  const paragraph = () => schema.node('paragraph', align(), line());
  const plain = () => schema.node('paragraph', null, line());
  const cells = (name: string) =>
    Array.from({ length: 3 }, () => schema.node(name, n(9) === 0 ? { rowspan: 2 } : null, [plain()]));
  const block = (depth: number): ReturnType<typeof paragraph> => {
    const inside = () => many(() => block(depth - 1), 2);
    const item = () => schema.node('list_item', null, [plain(), ...(depth > 0 && n(3) === 0 ? inside() : [])]);
    const figure = { src: `asset://${n(9) + 1}`, alt: one(WORDS), width: 640, height: n(400) + 1 };
    switch (n(depth > 0 ? 12 : 6)) {
      case 0:
        return schema.node('heading', { level: n(6) + 1, ...align() }, line());
      case 1:
        return schema.node('code_block', null, [schema.text(`if (a < b) {\n\n  "${one(WORDS)}"\n}`)]);
      case 2:
        return schema.node('horizontal_rule');
      case 3:
        return schema.node('figure', figure, n(2) ? line() : []);
      case 4:
      case 5:
        return paragraph();
      case 6:
        return schema.node('blockquote', null, inside());
      case 7:
        return schema.node('callout', { kind: one(calloutKinds) }, inside());
      case 8:
        return schema.node('bullet_list', null, many(item, 3));
      case 9:
        return schema.node('ordered_list', { order: n(3) + 1 }, many(item, 3));
      case 10:
        return depth < 3
          ? paragraph()
          : schema.node('kept', { html: `<section class="grid"><p>${n(99)}</p></section>` });
      default:
        return schema.node('table', null, [
          ...many(() => schema.node('table_row', null, cells('table_header')), 1),
          ...many(() => schema.node('table_row', null, cells('table_cell')), 3),
        ]);
    }
  };
  return schema.node(
    'doc',
    null,
    many(() => block(3), 8),
  );
}

describe('the editor', { skip: noBrowser }, async () => {
  if (noBrowser) return;
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  after(() => browser.close());
  const page: Page = await browser.newPage();
  const made = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, 'reading.ts'), formats: ['iife'], name: 'editor' },
    },
  });
  const [{ output }] = made as unknown as [{ output: [{ code: string }] }];
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto('http://atrium.example/');
  await page.evaluate(`${output[0].code}; globalThis.editor = editor`);
  const read = (all: string[]) => page.evaluate(`(${JSON.stringify(all)}).map(editor.read)`) as Promise<Json[]>;
  const paste = (html: string) => page.evaluate(`editor.paste(${JSON.stringify(html)})`) as Promise<string>;

  test('what is written is what the sanitiser keeps, sign for sign, and read again is the same document', async () => {
    const used = new Set<string>();
    const documents = Array.from({ length: 100 }, (_, n) => randomDocument(n + 1));
    const again = await read(documents.map(htmlOf));
    for (const [n, document] of documents.entries()) {
      document.descendants(({ type, marks }) => {
        for (const { name } of [type, ...marks.map((mark) => mark.type)]) used.add(name);
      });
      const html = htmlOf(document);
      assert.equal(kept(html), html);
      assert.deepEqual(again[n], JSON.parse(JSON.stringify(document)), html);
    }
    const known = [...Object.keys(schema.nodes), ...Object.keys(schema.marks)].filter((name) => name !== 'doc');
    assert.deepEqual(
      known.filter((name) => !used.has(name)),
      [],
    );
  });

  test('a text that others wrote is given back whole: what the editor has no words for stays as it is', async () => {
    for (const html of [
      '<div class="grid"><section id="a"><p style="color:#ff0000">One</p></section><p>Two</p></div><p>Three</p>',
      '<table class="wide"><caption>Shops</caption><tbody><tr><td>Berlin</td></tr></tbody></table><p>After</p>',
      '<details><summary>More</summary><p>Inside</p></details>',
      '<iframe src="https://www.youtube-nocookie.com/embed/x" width="560" height="315"></iframe>',
      '<p>A <font color="red">red</font> word</p><ul><li class="done">Item</li></ul>',
      '<video src="asset://4" controls=""></video>',
      '<dl><dt>Word</dt><dd>Meaning</dd></dl>',
    ]) {
      const safe = kept(html);
      assert.equal(await page.evaluate(`editor.again(${JSON.stringify(safe)})`), safe);
    }
    const usual =
      '<h2>A</h2>\n<p>Some <b>bold</b> <a href="/x" target="_blank">link</a></p>\n<ul>\n <li>One</li>\n</ul>Loose';
    const document = JSON.stringify(await read([kept(usual)]));
    assert.doesNotMatch(document, /"kept"/);
    assert.match(document, /Loose/);
  });

  for (const [from, { html, means }] of Object.entries(pasted))
    test(`pasted from ${from} it is what was meant, without its fonts, colours and empty lines`, async () => {
      const written = await paste(html);
      assert.equal(written, means);
      assert.equal(kept(written), written);
    });
});

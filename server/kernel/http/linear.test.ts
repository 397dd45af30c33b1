// What clients write is read in time that grows with its length and no faster: every pattern and parser of the source
// is fed what repeats.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import * as t from '../contract/schema.ts';
import { compileCheck } from '../contract/validate.ts';
import { htmlOf, plainText } from '../html/html.ts';
import { sanitized } from '../html/sanitizer.ts';
import { readQuery } from './bodies.ts';
import { parseUrlencoded } from './fields.ts';
import { refuseUnlessBounded } from './json.ts';
import { escaped } from './markup.ts';
import { parseMultipart } from './multipart.ts';

const [SHORT, TIMES, RATIO_MAX] = [4_000, 4, 6];
/** What takes less than this is quick enough, whatever the clock's grain makes of it. */
const QUICK_MS = 4;
const UNITS = [
  ' ',
  '\n ',
  'a',
  '1',
  '<b>',
  '<br ',
  '</p>',
  '&amp;',
  'a=1&',
  '[a]',
  '["',
  'http://a.',
  '-',
  '.',
  '/',
  '"',
];
const inputs = UNITS.flatMap((unit) =>
  ['', '!'].map((end) => [unit + end, (length: number) => unit.repeat(length / unit.length) + end] as const),
);

type Read = (text: string) => unknown;
const ms = async (read: Read, text: string) => {
  const { user, system } = process.threadCpuUsage();
  await Promise.resolve(text)
    .then(read)
    .catch(() => {});
  const used = process.threadCpuUsage({ user, system });
  return (used.user + used.system) / 1000;
};

/** Times of both lengths, until their ratio is good or there is no hope. */
async function growth(read: Read, input: (length: number) => string) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && best > RATIO_MAX; round++) {
    const short = await ms(read, input(SHORT));
    const long = await ms(read, input(SHORT * TIMES));
    best = Math.min(best, long <= QUICK_MS ? 1 : long / Math.max(short, QUICK_MS / TIMES));
  }
  return best;
}
async function slow(read: Read) {
  const found = await Promise.all(inputs.map(async ([name, input]) => ({ name, by: await growth(read, input) })));
  return found.filter(({ by }) => by > RATIO_MAX).map(({ name, by }) => `${JSON.stringify(name)}: ${by.toFixed(1)}`);
}

const one = (schema: object): Read => {
  const check = compileCheck(t.Object({ field: schema as never }));
  return (text) => check({ field: text }, { form: true, warnings: [] });
};
const readMultipart = (body: string) => {
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': String(body.length) };
  const limits = {
    text_bytes_max: 1e7,
    bytes_max: 1e7,
    file_bytes_max: 1e7,
    files_max: 0,
    file_fields: new Set<string>(),
  };
  const stream = Object.assign(Readable.from([Buffer.from(body)]), { headers, complete: true });
  return parseMultipart(stream as never, { ...limits, upload_folder: '' }, new Set(['a']));
};
const part = (head: string) => `--b\r\n${head}\r\n\r\n\r\n`;
const parsers: Record<string, Read> = {
  escaped,
  'urlencoded, of any names': (text) => parseUrlencoded(text),
  'urlencoded, of known names': (text) => parseUrlencoded(text, new Set(['a'])),
  'a name in a form': (text) => parseUrlencoded(`a${text}=1`),
  query: readQuery,
  JSON: (text) => refuseUnlessBounded(Buffer.from(text)),
  'a text in JSON': (text) => refuseUnlessBounded(Buffer.from(`"${text}`)),
  'multipart: content': (text) => readMultipart(`${part('Content-Disposition: form-data; name="a"')}${text}`),
  'multipart: head': (text) => readMultipart(part(`Content-Disposition: form-data; name="a"; ${text}`)),
  'multipart: parts': (text) =>
    readMultipart(text.replaceAll(/^.{1,9}/gs, part('Content-Disposition: form-data; name="a"'))),
  'sanitised HTML': (text) => sanitized(text, []),
  'sanitised elements': (text) => sanitized(`<table><tr><td>${text}`, []),
  'sanitised attribute': (text) => sanitized(`<a href="${text}`, []),
  'sanitised style': (text) => sanitized(`<p style="margin:${text}">`, []),
  'sanitised srcset': (text) => sanitized(`<img srcset="${text}">`, []),
  'words of HTML': (text) => plainText(sanitized(text, [])),
  'words of what is no HTML': plainText,
  'HTML of words': htmlOf,
  text: one(t.Text(100)),
  address: one(t.Url()),
  'e-mail': one(t.Email()),
  link: one(t.Link()),
  date: one(t.CalendarDate()),
  moment: one(t.Timestamp()),
  language: one(t.Language()),
  'time zone': one(t.Timezone()),
  colour: one(t.Colour()),
  'a word of some': one(t.OneOf(['a', 'b'])),
  ids: one(t.IdList()),
  'ids or all': one(t.IdListOrAll()),
  number: one(t.Id()),
};
for (const [name, read] of Object.entries(parsers))
  test(`four times as much takes at most ${RATIO_MAX} times as long: ${name}`, async () =>
    assert.deepEqual(await slow(read), []));

const server = join(import.meta.dirname, '../..');
const LITERAL = /(?<=[(=,:[!&|?]\s*|return )\/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/g;
const sources = globSync('{kernel,modules}/**/*.ts', { cwd: server }).filter((file) => !file.endsWith('.test.ts'));
const patterns = sources.flatMap((file) =>
  [...readFileSync(join(server, file), 'utf8').matchAll(LITERAL)].map(([, source = '', flags = '']) => ({
    file,
    pattern: new RegExp(source, flags),
  })),
);
const sandbox = createContext({});
/** In a context of its own, where what takes for ever can be ended. */
function timed(pattern: RegExp, text: string): number {
  Object.assign(sandbox, { pattern, text });
  const { user } = process.threadCpuUsage();
  try {
    runInContext('pattern.lastIndex = 0; text.replace(pattern, "")', sandbox, { timeout: 2000 });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  return (process.threadCpuUsage().user - user) / 1000;
}
test('the same of every pattern in the source, after whatever it begins with', async () => {
  assert.ok(patterns.length > 80, `only ${patterns.length} patterns found`);
  const found: string[] = [];
  for (const { file, pattern } of patterns) {
    const start = /^\^?([\w:/<"=-]+)/.exec(pattern.source.replaceAll('\\', ''))?.[1] ?? '';
    for (const [name, input] of inputs) {
      const text = (length: number) => start + input(length);
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3 && best > RATIO_MAX; round++) {
        const long = timed(pattern, text(SHORT * TIMES));
        best = long <= QUICK_MS ? 1 : long / Math.max(timed(pattern, text(SHORT)), QUICK_MS / TIMES);
      }
      if (best > RATIO_MAX) found.push(`${file}: ${pattern} on ${JSON.stringify(name)}: ${best}`);
    }
  }
  assert.deepEqual(found, []);
});

// Good files made by other programs (fixtures/make.py) give their text; files made to hurt (testing/hostile-files.ts)
// give an answer within the limits, and the server goes on.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { extname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { type Hostile, hostileFiles, types } from '../../../testing/hostile-files.ts';
import { killed, lives, until } from '../../../testing/processes.ts';
import { createExtractor, type Extraction, hasText } from './extract.ts';
import { flags } from './guarded.ts';
import { LIMITS } from './limits.ts';

const folder = join(import.meta.dirname, 'fixtures');
const good: Hostile[] = readdirSync(folder)
  .filter((name) => /\.(pdf|docx|xlsx|pptx|od[tsp])$/.test(name))
  .map((name) => ({
    name,
    content_type: types[extname(name).slice(1) as keyof typeof types],
    bytes: readFileSync(join(folder, name)),
  }));
const MB = 1024 ** 2;
const hasProc = existsSync('/proc/self/task');
/** Small, so that small files reach them. */
const limits = {
  ...{ processor_ms: 600, enough_ms: 300, unpacked_bytes_max: MB, text_length_max: 20_000 },
  ...{ memory_mb: 500, heap_mb: 128, file_bytes_max: 4 * MB, waiting_max: 4 },
};
const { extract, end } = createExtractor(limits);
after(end);
const asked = ({ content_type, bytes }: Omit<Hostile, 'name'>) => ({
  content_type,
  byte_size: bytes.length,
  async *open() {
    yield bytes;
  },
});
const plain = (bytes: Buffer | string, content_type = types.txt) =>
  extract(asked({ content_type, bytes: Buffer.from(bytes) }));

const LINES = [
  ...['Quarterly report', 'Größe & Übermaß', 'Élève déjà présent', 'Año nuevo en España', 'Zażółć gęślą jaźń'],
  ...['Отчёт о продажах', 'تقرير المبيعات', '销售报告', '売上報告書', '매출 보고서'],
];
const ALL = LINES.join('\n');
const texts: Record<string, Extraction> = {
  'codes.pdf': whole([LINES[1], ...LINES.slice(7), 'Second page'].join('\n')),
  'encrypted.pdf': { refused: 'encrypted' },
  'encrypted.xlsx': { refused: 'encrypted' },
  'printed.pdf': whole(ALL),
  'report.docx': whole(`${ALL}\nPage\tone`),
  'report.odp': whole(ALL),
  'report.ods': whole(ALL),
  'report.odt': whole(`${ALL}\nwide   space\ttab`),
  'report.pptx': whole(`${ALL}\nSpeak slowly`),
  'report.xlsx': whole(`${LINES.map((line, n) => `${line}\t${n + 0.5}\t${LINES[0]}`).join('\n')}\nSecond sheet`),
};
function whole(text: string): Extraction {
  return { text, is_truncated: false };
}

test('files of other programs give their text, exactly, in ten languages', async () => {
  assert.deepEqual(good.map(({ name }) => name).sort(), Object.keys(texts));
  const unhurried = createExtractor();
  after(unhurried.end);
  for (const file of good) assert.deepEqual(await unhurried.extract(asked(file)), texts[file.name], file.name);
});

test('text is read in the encoding that it is in', async () => {
  assert.deepEqual(await plain(`${ALL}\r\n`), whole(ALL));
  assert.deepEqual(await plain(Buffer.from(`\ufeff${ALL}`, 'utf16le')), whole(ALL));
  assert.deepEqual(await plain(Buffer.from(`\ufeff${ALL}`, 'utf16le').swap16()), whole(ALL));
  const sentence = 'Все люди рождаются свободными и равными в своем достоинстве и правах.';
  const windows1251 = [...sentence].map((letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code >= 0x410 ? code - 0x410 + 0xc0 : code;
  });
  assert.deepEqual(await plain(Buffer.from(windows1251)), whole(sentence));
});

test('of HTML what a reader sees is text, line by line', async () => {
  const html = `<title>Big &amp; small</title><style>p {}</style><script>let a = '<p>';</script>
    <h1>One   <b>bold</b>\nword</h1><ul><li>first<li>second</ul>last<br>line`;
  assert.deepEqual(await plain(html, types.html), whole('Big & small\nOne bold word\nfirst\nsecond\nlast\nline'));
});

test('a long text is cut, and no half of a character is left', async () => {
  const found = await plain('😀'.repeat(limits.text_length_max));
  assert.ok('text' in found && found.is_truncated);
  assert.equal(found.text, '😀'.repeat(limits.text_length_max / 2));
});

test('what has no text, or is too large, is refused unread', async () => {
  const file = { content_type: 'image/png', byte_size: 10, open: () => assert.fail('it was read') };
  assert.deepEqual(await extract(file), { refused: 'unsupported' });
  const large = { ...file, content_type: types.pdf, byte_size: limits.file_bytes_max + 1 };
  assert.deepEqual(await extract(large), { refused: 'too large' });
  // A size that was a lie is noticed.
  const lying = asked({ content_type: types.txt, bytes: Buffer.alloc(limits.file_bytes_max + 1, 'a') });
  assert.deepEqual(await extract({ ...lying, byte_size: 1 }), { refused: 'too large' });
  assert.deepEqual(['text/csv', 'application/msword', 'text/rtf', 'video/mp4'].map(hasText), [
    true,
    false,
    false,
    false,
  ]);
});

test('a few may wait, more are busy, and one that fails or is given up hinders nobody', async () => {
  const failing = { content_type: types.txt, byte_size: 1, open: () => Promise.reject(new Error('no storage')) };
  const given = AbortSignal.abort(new Error('given up'));
  const results = await Promise.allSettled([
    plain('first'),
    extract(failing),
    extract(asked({ content_type: types.txt, bytes: Buffer.from('x') }), given),
    plain('second'),
    plain('third'),
  ]);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    [whole('first'), 'no storage', 'given up', whole('second'), { refused: 'busy' }],
  );
  const controller = new AbortController();
  const endless = {
    content_type: types.txt,
    byte_size: 1,
    async *open() {
      yield Buffer.from('x');
      controller.abort(new Error('stopped'));
      yield Buffer.from('x');
    },
  };
  await assert.rejects(extract(endless, controller.signal), /stopped/);
  assert.deepEqual(await plain('after it'), whole('after it'));
});

test('the process may read its own program, and do nothing else', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((listens) => server.once('listening', listens));
  try {
    const { port } = server.address() as { port: number };
    const args = [...flags(LIMITS), join(folder, 'probe.mjs'), String(port)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: {}, cwd: '/' });
    const [major = 0] = process.versions.node.split('.').map(Number);
    assert.deepEqual(JSON.parse(stdout), major < 25 ? ['network'] : []);
  } finally {
    server.close();
  }
});

test('the process ends when nothing is asked for a while', async () => {
  const short = createExtractor({ idle_ms: 1 });
  const before = readers().length;
  assert.deepEqual(await short.extract(asked({ content_type: types.txt, bytes: Buffer.from('x') })), whole('x'));
  await until(() => readers().length <= before, 'the process ends');
});

test('a server that is killed leaves no reader behind, however busy it is', { skip: !hasProc }, async () => {
  const program = `
    import { createExtractor } from ${JSON.stringify(import.meta.resolve('./extract.ts'))};
    const bytes = Buffer.from('%PDF-1.7\\n' + '1 0 obj <<'.repeat(200_000));
    async function* open() { yield bytes; }
    await createExtractor().extract({ content_type: 'application/pdf', byte_size: bytes.length, open });`;
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  const pid = server.pid ?? 0;
  const reader = (await until(() => readers(pid).find((one) => ticksOf(one) > LOADED_TICKS), 'it reads')) ?? 0;
  await killed(pid);
  await until(() => !lives(reader), 'it ends');
});

test('330 hostile files cost what the limits allow, and the server goes on meanwhile', async () => {
  const files = hostileFiles(good);
  assert.ok(files.length >= 330);
  let [peak_kb, answers] = [0, 0];
  const refusals = new Set<string>();
  const loop = performance.eventLoopUtilization();
  const looking = setInterval(() => {
    peak_kb = Math.max(peak_kb, ...readers().map(peakOf));
    answers++;
  }, 10);
  for (const file of files) {
    const found = await extract(asked(file));
    if ('refused' in found) refusals.add(found.refused);
    else assert.ok(found.text.length <= limits.text_length_max && isClean(found.text), file.name);
  }
  clearInterval(looking);
  assert.deepEqual([...refusals].sort(), ['broken', 'encrypted', 'time', 'too large', 'unsupported']);
  assert.ok(performance.eventLoopUtilization(loop).utilization < 0.5, 'the server had time for others');
  assert.ok(answers > files.length / 10, 'and took it');
  // What is allocated between two looks of the watchdog comes on top.
  assert.ok(peak_kb < limits.memory_mb * 1024 * 1.5, `${peak_kb} KB`);
  assert.deepEqual(await plain('and reads on'), whole('and reads on'));
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const isClean = (text: string) => text.isWellFormed() && !/[\0-\x08\x0b-\x1f]/.test(text);

/** Process ids of the readers that this process has started. Elsewhere than on Linux: none are seen. */
function readers(of = process.pid): number[] {
  return read(`/proc/${of}/task/${of}/children`)
    .split(' ')
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes('reader.ts'))
    .map(Number);
}
const peakOf = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
/** Hundredths of a second of processor. */
const ticksOf = (pid: number) => Number(read(`/proc/${pid}/stat`).split(' ')[13] ?? 0);
const LOADED_TICKS = 70;
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

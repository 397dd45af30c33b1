import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PDFPageProxy } from 'pdfjs-dist';
import type { TextContent, TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { PAGES_MAX } from './limits.ts';
import { Enough, Refusal, type Text } from './text.ts';

// pdf.js expects what draws, although nothing is drawn here.
class Drawing {}
Object.assign(globalThis, { DOMMatrix: Drawing, ImageData: Drawing, Path2D: Drawing });
// Found there, its other half runs in this thread.
const worker: string = 'pdfjs-dist/legacy/build/pdf.worker.min.mjs';
Object.assign(globalThis, { pdfjsWorker: await import(worker) });
const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');

const folder = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')));
/** Pages that cannot be read, one after the other, before the rest is given up. */
const BROKEN_MAX = 20;

export async function readPdf(bytes: Buffer, text: Text) {
  const loading = getDocument({
    data: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length).slice(),
    // What the codes of Chinese, Japanese and Korean fonts mean that are not in the file.
    cMapUrl: join(folder, 'cmaps', sep),
    cMapPacked: true,
    useSystemFonts: false,
    useWasm: false,
    verbosity: 0,
  });
  try {
    const document = await loading.promise;
    let [broken, read] = [0, 0];
    for (let n = 1; n <= document.numPages && broken < BROKEN_MAX; n++) {
      if (n > PAGES_MAX) throw new Enough();
      text.goOn();
      const page = await document.getPage(n).catch(() => undefined);
      const isRead = page !== undefined && (await readPage(page, text));
      [broken, read] = isRead ? [0, read + 1] : [broken + 1, read];
    }
    if (read === 0) throw new Refusal('broken');
  } catch (error) {
    throw (error as Error).name === 'PasswordException' ? new Refusal('encrypted') : error;
  } finally {
    await loading.destroy();
  }
}

async function readPage(page: PDFPageProxy, text: Text): Promise<boolean> {
  try {
    let line: TextItem[] = [];
    for await (const { items } of page.streamTextContent() as unknown as AsyncIterable<TextContent>)
      for (const item of items) {
        if (!('str' in item)) continue;
        line.push(item);
        if (!item.hasEOL && line.length < ITEMS_MAX) continue;
        text.add(inReadingOrder(line));
        if (item.hasEOL) text.add('\n');
        line = [];
      }
    text.add(inReadingOrder(line));
    text.endLine();
    return true;
  } catch (error) {
    if (error instanceof Enough) throw error;
    return false;
  } finally {
    page.cleanup();
  }
}

/** Of one line. */
const ITEMS_MAX = 10_000;

/** Arabic and Hebrew words that are drawn letter by letter come as they are seen, from left to right. */
function inReadingOrder(line: readonly TextItem[]): string {
  const isRtl = (n: number) => line[n]?.dir === 'rtl';
  let [read, n] = ['', 0];
  while (n < line.length) {
    let end = n + 1;
    for (let next = end; isRtl(n) && next < line.length && (isRtl(next) || isSpace(line[next])); next++)
      if (isRtl(next)) end = next + 1;
    const run = line.slice(n, end);
    if (left(run[0]) < left(run.at(-1))) run.reverse();
    read += run.map(({ str }) => str).join('');
    n = end;
  }
  return read.replace(JOINED_FORMS, (letters) => letters.normalize('NFKC'));
}
const isSpace = (item?: TextItem) => item?.str.trim() === '';
const left = (item?: TextItem) => Number(item?.transform[4] ?? 0);
/** Arabic letters as they look within a word. */
const JOINED_FORMS = /[\ufb50-\ufdff\ufe70-\ufeff]+/g;

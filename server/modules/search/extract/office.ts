// Office files are ZIP archives of XML: OOXML (docx, xlsx, pptx) and OpenDocument (odt, ods, odp). Of an archive only
// the parts that hold text are unpacked, piece by piece, and counted; archives within archives are not opened.
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ENTRIES_MAX, type Limits } from './limits.ts';
import { type Markup, type Rules, textFrom } from './markup.ts';
import { sharedStrings, sheet } from './sheets.ts';
import { Refusal, type Text } from './text.ts';

export async function readOffice(bytes: Buffer, text: Text, { unpacked_bytes_max, text_length_max }: Limits) {
  const archive = await fromBufferPromise(bytes, { lazyEntries: true });
  const entries = await entriesOf(archive);
  let unpacked_bytes = 0;
  /** Writes the part into what reads it. */
  const unpack = async (entry: Entry, markup: Markup) => {
    if (entry.isEncrypted()) throw new Refusal('encrypted');
    let decoder: TextDecoder | undefined;
    for await (const chunk of (await archive.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      unpacked_bytes += chunk.length;
      if (unpacked_bytes > unpacked_bytes_max) throw new Refusal('too large');
      text.goOn();
      decoder ??= new TextDecoder(encodingOf(chunk));
      markup.write(decoder.decode(chunk, { stream: true }));
    }
    markup.end();
  };
  const matching = (pattern: RegExp) =>
    entries
      .filter(({ fileName }) => pattern.test(fileName))
      .sort((a, b) => a.fileName.localeCompare(b.fileName, 'en', { numeric: true }));

  for (const entry of matching(/^(META-INF\/manifest\.xml|encrypted-package)$/)) {
    if (entry.fileName === 'encrypted-package') throw new Refusal('encrypted');
    await unpack(entry, refusingEncryption);
  }
  const kind = kinds.find(({ signs }) => matching(signs).length > 0);
  if (!kind) throw new Refusal('unsupported');
  if (kind === spreadsheet) {
    const strings = sharedStrings(text_length_max);
    for (const entry of matching(/^xl\/sharedStrings\.xml$/)) await unpack(entry, strings);
    for (const entry of spreadsheet.parts.flatMap(matching)) await unpack(entry, sheet(text, strings.list));
    return;
  }
  for (const entry of kind.parts.flatMap(matching)) {
    text.endLine();
    await unpack(entry, textFrom(text, kind.rules));
  }
}

async function entriesOf(archive: ZipFile): Promise<Entry[]> {
  if (archive.entryCount > ENTRIES_MAX) throw new Refusal('too large');
  return Array.fromAsync(archive.eachEntry());
}

const encodingOf = (head: Buffer) =>
  head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8';

const refusingEncryption: Markup = {
  write(markup) {
    if (markup.includes('encryption-data')) throw new Refusal('encrypted');
  },
  end() {},
};

interface Kind {
  /** Parts that only files of this kind have. */
  signs: RegExp;
  /** In the order in which they are read. */
  parts: RegExp[];
  rules: Rules;
}
/** Of WordprocessingML and DrawingML, which stands in all of them. Fallback repeats what stands beside it. */
const ooxml: Rules = {
  holders: new Set(['t']),
  skipped: new Set(['pPr', 'Fallback']),
  lines: new Set(['p', 'tr']),
  character: (name) => (name === 'tab' ? '\t' : name === 'br' || name === 'cr' ? '\n' : undefined),
};
const SPACES_MAX = 100;
const opendocument: Rules = {
  holders: new Set(['p', 'h']),
  skipped: new Set(['tracked-changes', 'binary-data']),
  lines: new Set(['p', 'h']),
  character: (name, attributes) =>
    name === 's'
      ? ' '.repeat(Math.min(Number(attributes['text:c'] ?? 1) || 1, SPACES_MAX))
      : { tab: '\t', 'line-break': '\n' }[name],
};
const spreadsheet: Kind = { signs: /^xl\/workbook\.xml$/, parts: [/^xl\/worksheets\/[^/]+\.xml$/], rules: ooxml };
const kinds: Kind[] = [
  {
    signs: /^word\/document\d*\.xml$/,
    parts: [/^word\/document\d*\.xml$/, /^word\/(header|footer|footnotes|endnotes|comments)\d*\.xml$/],
    rules: ooxml,
  },
  spreadsheet,
  {
    signs: /^ppt\/presentation\.xml$/,
    parts: [/^ppt\/slides\/slide\d+\.xml$/, /^ppt\/notesSlides\/notesSlide\d+\.xml$/],
    rules: ooxml,
  },
  { signs: /^content\.xml$/, parts: [/^content\.xml$/], rules: opendocument },
];

// Files made to hurt whoever reads them, for extract.test.ts.
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

export interface Hostile {
  name: string;
  content_type: string;
  bytes: Buffer;
}
export const types = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  html: 'text/html',
  txt: 'text/plain',
};
/** More than the limits that they are read with. */
const BOMB = 2 * 1024 ** 2;

// ---- Archives ----------------------------------------------------------------------------------------------------

interface Part {
  name: string;
  content: Buffer | string;
  /** What the archive says instead of the truth. */
  size?: number;
  packed_size?: number;
  flags?: number;
  method?: number;
  offset?: number;
}
/** A ZIP archive, as wrong as asked for. */
export function zip(parts: Part[], { entries = parts.length, directory = 0 } = {}): Buffer {
  let [at, local, central] = [0, [] as Buffer[], [] as Buffer[]];
  for (const { name, content, size, packed_size, flags = 0, method = 8, offset } of parts) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes, { level: 1 }) : bytes;
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed_size ?? packed.length, 14);
    common.writeUInt32LE(size ?? bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), common, path]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset ?? at, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, rest, path]));
    local.push(head, packed);
    at += head.length + packed.length;
  }
  const listed = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries, 4);
  end.writeUInt16LE(entries, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at + directory, 12);
  return Buffer.concat([...local, listed, Buffer.from('PK\x05\x06'), end]);
}

const holders = {
  docx: { part: 'word/document.xml', others: [], text: 'w:t', line: 'w:p' },
  xlsx: { part: 'xl/worksheets/sheet1.xml', others: ['xl/workbook.xml'], text: 'v', line: 'c' },
  pptx: { part: 'ppt/slides/slide1.xml', others: ['ppt/presentation.xml'], text: 'a:t', line: 'a:p' },
  odt: { part: 'content.xml', others: [], text: 'text:p', line: 'text:p' },
} as const;

function archives(kind: keyof typeof holders): [string, Buffer][] {
  const { part, others, text, line } = holders[kind];
  const rest = others.map((name) => ({ name, content: '<x/>' }));
  const of = (content: Part['content'], said: Partial<Part> = {}) => zip([...rest, { name: part, content, ...said }]);
  const good = `<d><${line}><${text}>good</${text}></${line}></d>`;
  const many = (n: number, name: (n: number) => string, content = '<x/>') =>
    Array.from({ length: n }, (_, i) => ({ name: name(i), content }));
  const laughs = Array.from({ length: 30 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
  const one = { name: part, content: Buffer.alloc(BOMB / 8, '<x/>') };
  return [
    ['bomb of spaces', of(Buffer.alloc(BOMB, ' '))],
    ['bomb of elements', of(Buffer.alloc(BOMB, '<x/>'))],
    ['bomb of text', of(`<${line}><${text}>${'a'.repeat(BOMB)}</${text}></${line}>`)],
    ['bomb in a name', of(`<${'a'.repeat(BOMB)}/>`)],
    ['bomb in an attribute', of(`<x a="${'a'.repeat(BOMB)}"/>`)],
    ['bomb of attributes', of(`<x ${Array.from({ length: 20_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`)],
    ['bomb in a comment', of(`<!--${'-'.repeat(BOMB)}`)],
    ['deep', of('<a>'.repeat(50_000))],
    ['deep and closed', of('<a>'.repeat(20_000) + '</a>'.repeat(20_000))],
    ['deep lines', of(`<${line}>`.repeat(20_000))],
    ['a billion laughs', of(`<!DOCTYPE d [<!ENTITY l0 "ha">${laughs}]><${line}><${text}>&l30;</${text}></${line}>`)],
    ['a file outside', of(`<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><${text}>&x;</${text}>`)],
    ['parts that are one', zip([...rest, one, ...many(50, () => part).map((p) => ({ ...p, offset: 0 }))])],
    ['too many parts', zip([...rest, { name: part, content: good }], { entries: 60_000 })],
    ['many parts of text', zip([...rest, ...many(50, (n) => part.replace(/1?\.xml/, `${n}.xml`), good)])],
    ['an archive in an archive', of(zip([{ name: part, content: Buffer.alloc(BOMB) }]))],
    ['a name above', zip([...rest, { name: `../../../../${part}`, content: good }])],
    ['an absolute name', zip([...rest, { name: `/${part}`, content: good }])],
    ['a name of a drive', zip([...rest, { name: `C:\\${part}`, content: good }])],
    ['a name with a zero', zip([...rest, { name: `${part}\0.png`, content: good }])],
    ['a size of 4 GB', of(good, { size: 0xfffffffe })],
    ['a size of nothing', of(good, { size: 0 })],
    ['64 bits of size that are not there', of(good, { size: 0xffffffff, packed_size: 0xffffffff })],
    ['a packed size of 4 GB', of(good, { packed_size: 0xfffffffe })],
    ['encrypted', of(good, { flags: 1 })],
    ['an unknown method', of(good, { method: 99 })],
    ['not packed at all', of(good, { method: 0, size: 3 })],
    ['a part beyond the end', of(good, { offset: 0x7fffffff })],
    ['more parts than there are', zip([...rest, { name: part, content: good }], { entries: 5 })],
    ['a directory beyond the end', zip([...rest, { name: part, content: good }], { directory: 1000 })],
    ['no text', of('')],
    ['half an element', of(`<${line}><${text}`)],
    ['numbers as characters', of(`<${line}><${text}>&#x110000;&#xd800;&#0;&#99999999999;</${text}></${line}>`)],
    ['not in UTF-8', of(Buffer.from(`<${line}><${text}>\xff\xfe\xc0</${text}></${line}>`, 'latin1'))],
    ['in UTF-16', of(Buffer.from(`\ufeff<${line}><${text}>good</${text}></${line}>`, 'utf16le'))],
    ['spaces without end', of(`<${line}>${'<text:s text:c="999999999"/>'.repeat(5000)}</${line}>`)],
    ['cells without end', of('<row><c t="s"><v>99999999</v></c><c t="s"><v>-1</v></c><c t="s"><v>e</v></c></row>')],
  ];
}

// ---- PDF ---------------------------------------------------------------------------------------------------------

/** Objects from number 1 on; the first is the catalogue, the second the pages. */
function pdf(objects: (string | Buffer)[], { trailer = '', before = '' } = {}): Buffer {
  const parts = [Buffer.from(`%PDF-1.7\n${before}`)];
  let at = parts[0]?.length ?? 0;
  const offsets = objects.map((object, n) => {
    const part = Buffer.concat([Buffer.from(`${n + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    parts.push(part);
    at += part.length;
    return at - part.length;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  parts.push(Buffer.from(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF`));
  return Buffer.concat(parts);
}
const stream = (content: Buffer | string, said = '', length = content.length) =>
  Buffer.concat([
    Buffer.from(`<<${said}/Length ${length}>>\nstream\n`),
    Buffer.from(content),
    Buffer.from('\nendstream'),
  ]);
const flate = (content: Buffer | string, said = '') => stream(deflateSync(content), `/Filter/FlateDecode${said}`);
const catalogue = '<</Type/Catalog/Pages 2 0 R>>';
const pages = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const font = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
const page = (said = '/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>') =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R${said}>>`;
const shows = 'BT /F 12 Tf 72 700 Td (good) Tj ET';
const onPage = (content: Buffer | string, ...more: (string | Buffer)[]) =>
  pdf([catalogue, pages, page(), content, ...(more.length > 0 ? more : [font])]);

function pdfs(): [string, Buffer][] {
  const form = '/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</X 6 0 R>>/Font<</F 5 0 R>>>>';
  const nestedFilters = '/FlateDecode '.repeat(200);
  const toUnicode = (body: string) => [
    stream(shows),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>',
    stream(`/CIDInit /ProcSet findresource begin 12 dict begin begincmap ${body} endcmap`),
  ];
  const composite = (descendants: string, encoding = '/Identity-H') =>
    `<</Type/Font/Subtype/Type0/BaseFont/X/Encoding ${encoding}/DescendantFonts ${descendants}>>`;
  const threefold = (resources: string) =>
    `<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/CharProcs<</g 4 0 R>>/FirstChar 103
/LastChar 103/Widths[1]/Encoding<</Differences[103/g]>>/Resources ${resources}>>`;
  const [pages_, of] = ['<</Type/Pages', (said: string, ...more: string[]) => pdf([catalogue, said, ...more])];
  return [
    ['pages that are their own kids', of(`${pages_}/Kids[2 0 R]/Count 1>>`)],
    ['pages in a circle', of(`${pages_}/Kids[3 0 R]/Count 1>>`, `${pages_}/Kids[2 0 R]/Parent 2 0 R/Count 1>>`)],
    ['a billion pages', pdf([catalogue, `${pages_}/Kids[3 0 R]/Count 1000000000>>`, page(), stream(shows), font])],
    ['fewer than no pages', of(`${pages_}/Kids[]/Count -5>>`)],
    ['one page 20,000 times', of(`${pages_}/Kids[${'3 0 R '.repeat(20_000)}]/Count 20000>>`, page(), '<<>>', font)],
    ['kids that are the catalogue', of(`${pages_}/Kids[1 0 R]/Count 1>>`)],
    ['kids that are not there', of(`${pages_}/Kids[9 0 R 99 0 R 999999999 0 R]/Count 3>>`)],
    [
      'deep pages',
      of(pages_.repeat(1), ...Array.from({ length: 3000 }, (_, n) => `${pages_}/Kids[${n + 4} 0 R]/Count 1>>`)),
    ],
    ['cross references in a circle', pdf([catalogue, pages, page(), stream(shows), font], { trailer: '/Prev 9' })],
    [
      'cross references to themselves',
      Buffer.from('%PDF-1.7\nxref\n0 0\ntrailer\n<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF'),
    ],
    ['a start beyond the end', Buffer.from('%PDF-1.7\nstartxref\n99999999999999\n%%EOF')],
    ['an object that is itself', pdf(['1 0 R', '2 0 R'])],
    ['a length that is itself', onPage('<</Length 4 0 R>>\nstream\nBT ET\nendstream')],
    ['a length of 4 GB', onPage(stream(shows, '', 4294967295))],
    ['a negative length', onPage(stream(shows, '', -1))],
    ['bomb of spaces', onPage(flate(Buffer.alloc(BOMB, ' ')))],
    ['bomb of text', onPage(flate(`BT /F 12 Tf ${'(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj '.repeat(20_000)} ET`))],
    ['bomb of a string', onPage(flate(`BT /F 12 Tf (${'a'.repeat(BOMB)}) Tj ET`))],
    [
      'bomb in a bomb',
      onPage(stream(deflateSync(deflateSync(Buffer.alloc(BOMB))), '/Filter[/FlateDecode/FlateDecode]')),
    ],
    ['200 filters', onPage(stream(deflateSync(shows), `/Filter[${nestedFilters}]`))],
    ['run lengths', onPage(stream(Buffer.alloc(50_000, '\x81 ', 'latin1'), '/Filter/RunLengthDecode'))],
    ['an LZW stream of noise', onPage(stream(Buffer.alloc(50_000, '\x80\x0b\x60\x50', 'latin1'), '/Filter/LZWDecode'))],
    ['deep lists', onPage(stream(`${'['.repeat(40_000)}`))],
    ['deep lists in an object', pdf(['['.repeat(100_000), pages])],
    ['deep dictionaries in an object', pdf(['<</A '.repeat(100_000), pages])],
    ['deep states', onPage(stream('q '.repeat(300_000)))],
    ['a drawing of itself', onPage(stream('/X Do'), font, stream('/X Do '.repeat(20), form))],
    ['drawings of drawings', onPage(stream('/X Do '.repeat(30)), font, stream(`${shows} `.repeat(100), form))],
    ['text in a drawing of itself', onPage(stream('/X Do'), font, stream(`${shows} /X Do /X Do`, form))],
    ['a picture without end', onPage(stream(`BI /W 99999 /H 99999 ID ${'x'.repeat(50_000)}`))],
    [
      'characters of 32 bits',
      onPage(...(toUnicode('1 beginbfrange <00000000> <ffffffff> <0041> endbfrange') as [Buffer])),
    ],
    ['characters of 16 bits', onPage(...(toUnicode('100 beginbfrange <0000> <ffff> <0041> endbfrange') as [Buffer]))],
    [
      'a character of 1 MB',
      onPage(...(toUnicode(`1 beginbfchar <67> <${'0041'.repeat(40_000)}> endbfchar`) as [Buffer])),
    ],
    [
      'codes that use themselves',
      onPage(
        stream(shows),
        composite('[<</Subtype/CIDFontType2>>]', '6 0 R'),
        stream('/X usecmap', '/UseCMap 6 0 R/Type/CMap'),
      ),
    ],
    ['a font made of itself', onPage(stream(shows), composite('[5 0 R]'))],
    ['a font of drawings of itself', onPage(stream(shows), threefold('<</Font<</F 5 0 R>>>>'))],
    [
      'codes with a path for a name',
      onPage(stream(shows), composite('[<</Subtype/CIDFontType0>>]', '/..#2F..#2F..#2Fetc#2Fpasswd')),
    ],
    ['widths without end', onPage(stream(shows), composite('[<</Subtype/CIDFontType2/W[0 999999999 500]>>]'))],
    [
      'a broken password',
      pdf([catalogue, pages, page(), stream(shows), font], { trailer: '/Encrypt<</Filter/Standard/V 5>>' }),
    ],
    ['an unknown lock', pdf([catalogue, pages, page(), stream(shows), font], { trailer: '/Encrypt<</Filter/Other>>' })],
    ['objects without an end', Buffer.from(`%PDF-1.7\n${'1 0 obj <<'.repeat(4_000)}`)],
    ['ends without objects', Buffer.from(`%PDF-1.7\n${'endobj trailer << >> '.repeat(4_000)}`)],
    ['a million brackets', Buffer.from(`%PDF-1.7\n1 0 obj\n${'('.repeat(100_000)}`)],
    ['only a head', Buffer.from('%PDF-1.7')],
    ['nothing', Buffer.alloc(0)],
    ['noise', noise(20_000, 7)],
    ['noise after a head', Buffer.concat([Buffer.from('%PDF-1.7\n'), noise(50_000, 8)])],
  ];
}

// ---- Text --------------------------------------------------------------------------------------------------------

const texts = (): [string, Buffer][] => [
  ['nothing', Buffer.alloc(0)],
  ['zeros', Buffer.alloc(BOMB)],
  ['noise', noise(100_000, 9)],
  ['a long line', Buffer.alloc(BOMB, 'a')],
  ['deep', Buffer.from('<div>'.repeat(40_000))],
  ['unclosed comments', Buffer.from('<!--'.repeat(40_000))],
  ['unclosed quotes', Buffer.from('<a b="'.repeat(40_000))],
  ['unclosed script', Buffer.from(`<script>${'<'.repeat(50_000)}`)],
  ['entities', Buffer.from('&'.repeat(50_000))],
  ['attributes', Buffer.from(`<a ${'b '.repeat(50_000)}>`)],
  ['halves of characters', Buffer.from('\ufeff\ud800\udc00\ud800x\udc00', 'utf16le')],
  ['UTF-16 that is cut', Buffer.from('fffe41', 'hex')],
  ['controls', Buffer.from(Array.from({ length: 32 }, (_, n) => n + 1))],
];

// ---- Good files, spoiled -----------------------------------------------------------------------------------------

function noise(length: number, seed: number): Buffer {
  const random = randomOf(seed);
  return Buffer.from(Array.from({ length }, () => random(256)));
}
/** Mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function spoiled({ name, content_type, bytes }: Hostile): Hostile[] {
  const flipped = [1, 2, 3, 4, 5].map((seed) => {
    const [copy, random] = [Buffer.from(bytes), randomOf(seed)];
    for (let n = 0; n < 4 ** (seed - 1); n++) {
      const at = random(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << random(8));
    }
    return { name: `${name} with ${4 ** (seed - 1)} flipped bits`, content_type, bytes: copy };
  });
  const cut = [0.05, 0.5, 0.95, 0.999].map((share) => ({
    name: `${share} of ${name}`,
    content_type,
    bytes: bytes.subarray(0, Math.floor(bytes.length * share)),
  }));
  const called = [types.pdf, types.odt, types.txt]
    .filter((type) => type !== content_type)
    .map((type) => ({ name: `${name} as ${type}`, content_type: type, bytes }));
  return [...flipped, ...cut, ...called];
}

export const hostileFiles = (good: Hostile[]): Hostile[] => {
  const named =
    (content_type: string) =>
    ([name, bytes]: [string, Buffer]) => ({ name, content_type, bytes });
  return [
    ...(['docx', 'xlsx', 'pptx', 'odt'] as const).flatMap((kind) => archives(kind).map(named(types[kind]))),
    ...pdfs().map(named(types.pdf)),
    ...[types.txt, types.html].flatMap((type) => texts().map(named(type))),
    ...good.flatMap(spoiled),
  ];
};

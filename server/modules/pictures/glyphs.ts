// The thread that draws initials: reading a font takes up to a second once, for which no request may wait but its own.
//
// Outlines come from the fonts of packages, so that every machine draws the same, also one without any font. Each
// package is many small files, and says which of them has which characters.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { create, type Font } from 'fontkitten';

/** The first that has a character draws it. */
const FAMILIES = ['noto-sans', 'noto-sans-arabic', 'noto-sans-hebrew', 'noto-sans-thai', 'noto-emoji', 'noto-sans-sc'];
const COLOURS = ['#1d4ed8', '#0f766e', '#7c3aed', '#b45309', '#be123c', '#15803d', '#4338ca', '#a21caf'];
/** Of the picture's width: of a character, and of all of them at most. */
const [EM, WIDTH_MAX] = [0.44, 0.68];
/** Head and shoulders, where no font has the characters. */
const PERSON = {
  outline: 'M.5 .77a.21 .21 0 1 0 -.001 0zM.08 -.12a.42 .42 0 0 0 .84 0z',
  box: { minY: -0.12, maxY: 0.77 },
  advance: 1,
  line: 0,
};

const require = createRequire(import.meta.url);
interface Subset {
  file: string;
  ranges: [first: number, last: number][];
}
const subsets = [...FAMILIES, 'noto-sans-kr'].flatMap((family): Subset[] => {
  const folder = dirname(require.resolve(`@fontsource-variable/${family}/package.json`));
  const named: Record<string, string> = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'));
  return Object.entries(named).map(([name, text]) => ({
    file: join(folder, 'files', `${family}-${name.replace(/[[\]]/g, '')}-wght-normal.woff2`),
    ranges: text.split(',').map((range) => {
      const [first = 0, last = first] = range
        .replace('U+', '')
        .split('-')
        .map((hex) => Number.parseInt(hex, 16));
      return [first, last];
    }),
  }));
});

const FONTS_MAX = 16;
const fonts = new Map<string, Font>();
function fontFor(file: string): Font {
  const font = fonts.get(file) ?? (create(readFileSync(file)) as Font);
  fonts.delete(file);
  fonts.set(file, font);
  const [oldest = file] = fonts.keys();
  if (fonts.size > FONTS_MAX) fonts.delete(oldest);
  return font;
}

/** Its outline in a square of one em, and how far it reaches to the right. */
function glyphOf(code_point: number) {
  for (const { file, ranges } of subsets) {
    if (!ranges.some(([first, last]) => first <= code_point && code_point <= last)) continue;
    const font = fontFor(file);
    if (!font.hasGlyphForCodePoint(code_point)) continue;
    const { path, advanceWidth } = font.glyphForCodePoint(code_point);
    const em = path.scale(1 / font.unitsPerEm, 1 / font.unitsPerEm);
    // Without a choice these draw their thinnest lines.
    const isThin = (font.variationAxes.wght?.default ?? 400) < 300;
    return { outline: em.toSVG(), box: em.bbox, advance: advanceWidth / font.unitsPerEm, line: isThin ? 0.035 : 0.008 };
  }
  return undefined;
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
function drawn(initials: string): string {
  const code_points = [...initials].map((letter) => letter.codePointAt(0) ?? 0);
  const colour = COLOURS[code_points.reduce((sum, code_point) => sum + code_point, 0) % COLOURS.length];
  const found = code_points.flatMap((code_point) => glyphOf(code_point) ?? []);
  const glyphs = found.length > 0 ? found : [PERSON];
  if (RIGHT_TO_LEFT.test(initials)) glyphs.reverse();

  let width = 0;
  const shapes = glyphs.map(({ outline, line, advance }) => {
    const place = `translate(${width} 0)`;
    width += advance;
    return `<path d="${outline}" stroke-width="${line}" transform="${place}"/>`;
  });
  const low = Math.min(...glyphs.map(({ box }) => box.minY));
  const high = Math.max(...glyphs.map(({ box }) => box.maxY));
  const scale = Math.min(EM, WIDTH_MAX / width);
  const place = `translate(.5 .5) scale(${scale} ${-scale}) translate(${-width / 2} ${-(low + high) / 2})`;
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512" viewBox="0 0 1 1">',
    `<rect width="1" height="1" fill="${colour}"/>`,
    `<g transform="${place}" fill="#fff" stroke="#fff" stroke-linejoin="round">${shapes.join('')}</g></svg>`,
  ].join('');
}

parentPort?.on('message', (initials: string) => parentPort?.postMessage(drawn(initials)));

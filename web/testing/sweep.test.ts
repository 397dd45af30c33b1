// What holds for every screen, whoever looks at it on whatever.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startAtrium } from '../../server/testing/atrium.ts';
import { noBrowser } from '../../server/testing/browser.ts';
import { accessibilityProblems, openBrowser } from './browser.ts';

const skip = noBrowser;
const atrium = skip ? undefined : await startAtrium();
const listed = readFileSync(join(import.meta.dirname, '..', 'screens.ts'), 'utf8');
const paths = [...listed.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path);
const examples: Record<string, string> = {
  ':id': '1',
  ':slug': 'berlin-opens',
  ':tab?': 'people',
  ':id?': '5',
  ':channel_url': 'demo-group',
};
const sections = ['', '/look', '/devices', '/password', '/keys', '/programs', '/calendar'];
const parts = [
  ...['/directory/people/4/kudos', '/kudos?give', '/events?view=month&month=2026-12', '/events?view=past'],
  ...['/spaces/1', '/spaces/1/about', '/spaces/1/events', '/search?q=berlin&sort=newest', '/search?q=nothing+at+all'],
];
const more = [
  ...sections.map((section) => `/settings${section}`),
  '/directory?q=em&team=1',
  '/directory/people/2/posts',
  ...parts,
];
const addresses = paths.map((path) => path.replaceAll(/:\w+\??/g, (name) => examples[name] ?? name));
const families = Object.keys(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'words', 'en.json'), 'utf8')));
/** The key of a word that there is none for. */
const untranslated = new RegExp(`\\b(?:${families.join('|')})\\.[a-z]\\w*\\b`);
const desk = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const;
const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

describe('every screen', { skip }, async () => {
  if (!atrium) return;
  const { signedIn } = await openBrowser(atrium);
  await atrium.rows(`update users set locale = 'ar' where id = 2`);
  for (const [name, options] of Object.entries({ 'at a desk, in light': desk, 'on a phone, dark, in Arabic': phone })) {
    const visiting = signedIn(options === phone ? 'ben' : 'ada', options);
    for (const address of [...addresses, '/updates/999999', ...more])
      test(`${address} ${name}: a title, one heading, nothing that axe or the browser complains of`, async () => {
        const { page, complaints } = await visiting;
        await page.goto(address);
        await page.locator('h1').waitFor();
        await page.waitForLoadState('networkidle');
        assert.equal(await page.locator('h1').count(), 1);
        assert.match(await page.title(), /Northwind Retail$/);
        assert.deepEqual(await accessibilityProblems(page), []);
        assert.deepEqual(complaints(), []);
        const [seen, whole] = (await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')) as number[];
        assert.ok((whole ?? 0) <= (seen ?? 0), `${whole} pixels wide on ${seen}`);
        const isRightToLeft = (await page.locator('html').getAttribute('dir')) === 'rtl';
        assert.equal(isRightToLeft, options === phone);
        assert.doesNotMatch(await page.locator('body').innerText(), untranslated);
      });
  }
});

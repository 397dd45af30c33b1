// A real browser on a real Atrium, for people of the cast.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type TestAtrium, world } from '../../server/testing/atrium.ts';
import { chromiumPath } from '../../server/testing/browser.ts';
import { PASSWORD } from '../../server/testing/world.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const switches = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const people = {
  ada: 'ada.okafor@northwind.example',
  ben: 'ben.lindqvist@northwind.example',
  emi: 'emi.tanaka@northwind.example',
} as const;
export interface Visit {
  page: Page;
  /** What the browser complained of since the last look: errors of scripts, refused by the policy, missing files. */
  complaints(): string[];
}

export async function openBrowser(atrium: TestAtrium) {
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: [...switches, ...quiet] });
  after(() => browser.close());
  // The organisation that signing in means is the one whose address the page has.
  const { host, origin } = new URL(atrium.url);
  await atrium.rows('update organisations set domain = $1, web_url = $2 where id = $3', [
    host,
    origin,
    world.northwind.organisation_id,
  ]);

  async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ baseURL: atrium.url, locale: 'en-GB', ...options });
    const page = await context.newPage();
    let said: string[] = [];
    page.on('pageerror', ({ message }) => said.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 40[14]/.test(message.text())) said.push(message.text());
    });
    return {
      page,
      complaints() {
        const all = said;
        said = [];
        return all;
      },
    };
  }
  /** Signed in without the screen for it. */
  async function signedIn(person: keyof typeof people, options: BrowserContextOptions = {}): Promise<Visit> {
    const opened = await visit(options);
    const data = { email: people[person], password: PASSWORD };
    const reply = await opened.page.context().request.post('/v1/sessions', { data });
    if (reply.status() !== 201) throw new Error(await reply.text());
    return opened;
  }
  return { visit, signedIn };
}

/** Waits for what only a script can see. The policy of the pages refuses Playwright's own way, which needs eval. */
export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await page.evaluate(expression))) {
    if (Date.now() > end) throw new Error(`not in time: ${expression}`);
    await page.waitForTimeout(50);
  }
}

interface Findings {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}
/** What axe finds against WCAG 2.2 AA and its own good practice. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run(document)')) as Findings;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

// `npm run test:sdk`: the same checks on Node 20, 24 and this one, in Deno and Bun, and in Chromium.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { startAtrium } from '../../server/testing/atrium.ts';
import { chromiumPath, noBrowser } from '../../server/testing/browser.ts';
import { runtimes } from './runtimes.ts';
import { checkedWorld } from './world.ts';

const UPLOAD_BYTES = 50_000_000;
const atrium = await startAtrium();
const { given, proxy } = await checkedWorld(atrium, UPLOAD_BYTES);
after(() => assert.deepEqual(proxy.violations, []));

describe('the client, 50 MB uploads included', () => {
  for (const { name, command } of runtimes()) {
    test(`in ${name}`, { skip: command ? false : 'It cannot be had here.', timeout: 120_000 }, async () => {
      const [program = '', ...args] = command ?? [];
      const child = spawn(program, [...args, join(import.meta.dirname, 'run-checks.js')]);
      after(() => void child.kill());
      child.stdin.end(JSON.stringify({ ...given, run: name }));
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      assert.ok(stdout.includes('['), stderr);
      report(JSON.parse(stdout.slice(stdout.indexOf('['))));
    });
  }

  test('in Chromium', { skip: noBrowser, timeout: 120_000 }, async () => {
    const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`${proxy.url}/sdk/`);
      const program = `(async () => {
        const { runChecks } = await import('/sdk/testing/checks.js');
        const inspect = (value) => String(value?.stack ?? value);
        return runChecks({ ...${JSON.stringify({ ...given, run: 'chromium' })}, inspect, isBrowser: true });
      })()`;
      report(await page.evaluate(program));
    } finally {
      await browser.close();
    }
  });
});

function report(results: { name: string; error?: string }[]) {
  assert.ok(results.length > 10);
  assert.deepEqual(
    results.filter(({ error }) => error !== undefined),
    [],
  );
}

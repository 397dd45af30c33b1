// Debian's Chromium, headless, on a page that a real server on loopback serves.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
/** Why tests in a browser cannot run here, or false. */
export const noBrowser = chromiumPath ? false : 'Chromium is not installed (Debian: apt-get install chromium)';

/** What the page sends by `report(text)`; an error after `seconds` without. Nothing but loopback can be reached. */
export async function reported(html: string, seconds = 300): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-browser-'));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    if (request.method === 'POST') return void text(request).then(resolve, reject);
    if (request.url !== '/') return response.writeHead(404).end();
    return response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(
        '<!doctype html><meta charset="utf-8">' +
          `<script>const report = (body) => fetch('/', { method: 'POST', body });</script>${html}`,
      );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const browser = started(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, folder);
  const ended = once(browser, 'close');
  ended.then(([code]) => reject(new Error(`Chromium ended with ${code}.`)), reject);
  const late = setTimeout(() => reject(new Error(`The page reported nothing in ${seconds} s.`)), seconds * 1000);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    browser.kill();
    await ended.catch(() => {});
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function started(url: string, folder: string): ChildProcess {
  return spawn(
    chromiumPath ?? '',
    [
      ...[
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
      ],
      ...['--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
      ...[`--user-data-dir=${folder}`, url],
    ],
    { stdio: 'ignore' },
  );
}

// Debian's Chromium, headless, on a page that a real server on loopback serves.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
/** Why tests in a browser cannot run here, or false. */
export const noBrowser = chromium ? false : 'Chromium is not installed (Debian: apt-get install chromium)';

/** The page's document after its scripts ran, `seconds` of the page's own time at most. Nothing but loopback can be reached. */
export async function rendered(html: string, seconds = 30): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url !== '/') return response.writeHead(404).end();
    return response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const folder = mkdtempSync(join(tmpdir(), 'atrium-browser-'));
  try {
    return await dumped(`http://127.0.0.1:${port}/`, folder, seconds);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function dumped(url: string, folder: string, seconds: number): Promise<string> {
  const child = spawn(
    chromium ?? '',
    [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
      ...[`--user-data-dir=${folder}`, `--virtual-time-budget=${seconds * 1000}`, '--dump-dom', url],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let dom = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    dom += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(dom) : reject(new Error(`Chromium ended with ${code}.`))));
  });
}

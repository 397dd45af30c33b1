// What is left of the sdk in somebody's bundle.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const sdk = join(import.meta.dirname, '..');

/** Minified, with `node:` modules left outside. `line` is written as a consumer does. */
export async function bundled(line: string) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-bundle-'));
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, `${line.replaceAll('@atrium/sdk', join(sdk, 'atrium.js'))}\n`);
  try {
    const [output] = (await build({
      configFile: false,
      logLevel: 'silent',
      root: folder,
      build: {
        ...{ write: false, minify: true, lib: { entry, formats: ['es'] } },
        rolldownOptions: { external: /^node:/ },
      },
    })) as Rolldown.RolldownOutput[];
    const code = output?.output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('') ?? '';
    return { code, gzip_bytes: gzipSync(code).length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

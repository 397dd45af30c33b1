// Makes the pages: `node web/build.ts [folder]`. The folder appears when all of it is there.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { sourceHash } from './source.ts';

const root = import.meta.dirname;
const [, , folder = join(root, 'dist')] = process.argv;

if (folder === join(root, 'dist')) rmSync(folder, { recursive: true, force: true });
mkdirSync(dirname(folder), { recursive: true });
const fresh = mkdtempSync(`${folder}-`);
try {
  await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'error', build: { outDir: fresh } });
  writeFileSync(join(fresh, 'source-hash'), sourceHash());
  // Another process may have been faster: its folder is as good.
  if (!existsSync(folder)) renameSync(fresh, folder);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

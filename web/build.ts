// Makes the pages: `node web/build.ts [folder]`. The folder appears when all of it is there. Beside what is worth it
// lie `<name>.br` and `<name>.gz`, so that no start and no request compresses it.
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';
import { sourceHash } from './source.ts';

const root = import.meta.dirname;
const WORTH_IT_BYTES = 500;
const [, , folder = join(root, 'dist')] = process.argv;

if (folder === join(root, 'dist')) rmSync(folder, { recursive: true, force: true });
mkdirSync(dirname(folder), { recursive: true });
const fresh = mkdtempSync(`${folder}-`);
try {
  await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'error', build: { outDir: fresh } });
  const files = globSync('**/*', { cwd: fresh }).map((name) => join(fresh, name));
  await Promise.all(files.filter((file) => statSync(file).size > WORTH_IT_BYTES).map(compress));
  writeFileSync(join(fresh, 'source-hash'), sourceHash());
  // Another process may have been faster: its folder is as good.
  if (!existsSync(folder)) renameSync(fresh, folder);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function compress(file: string) {
  if (statSync(file).isDirectory()) return;
  const plain = readFileSync(file);
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(plain));
  writeFileSync(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }));
}

// What the pages are made of, as one number: a build is good for as long as it stays the same.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function sourceHash(): string {
  const hash = createHash('sha256');
  const root = import.meta.dirname;
  const files = globSync(['**/*.{ts,tsx,css,json,html,svg}', '../package-lock.json'], {
    cwd: root,
    exclude: (name) => /^(node_modules|dist|testing)$|\.test\.ts$/.test(name),
  });
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 20);
}

// The files of the built pages, kept in memory: few and small, and compressed by the build.
import { hash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** Where it is worth it. */
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** By their path in the folder. */
export function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  const names = globSync('**/*', { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
  const packed = (name: string, end: string) =>
    names.includes(name + end) ? readFileSync(join(folder, name + end)) : undefined;
  const files = names
    .filter((name) => !/\.(br|gz)$/.test(name))
    .map((name): [string, PageFile] => {
      const plain = readFileSync(join(folder, name));
      const type = types[extname(name)] ?? 'application/octet-stream';
      const etag = `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
      return [name.replaceAll(sep, '/'), { type, etag, plain, br: packed(name, '.br'), gzip: packed(name, '.gz') }];
    });
  return new Map(files);
}

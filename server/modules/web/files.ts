// The files of the built pages: few and small, so they are kept in memory, compressed once.
import { hash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

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
const BROTLI_QUALITY = 9;
const WORTH_IT_BYTES = 500;
const compressed = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** By their path in the folder. */
export async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = globSync('**/*', { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
  const files = names.map(async (name): Promise<[string, PageFile]> => {
    const plain = readFileSync(join(folder, name));
    const isWorthIt = plain.length > WORTH_IT_BYTES;
    const [br, gz] = await Promise.all([
      isWorthIt ? compressed.br(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }) : undefined,
      isWorthIt ? compressed.gzip(plain) : undefined,
    ]);
    const type = types[extname(name)] ?? 'application/octet-stream';
    const etag = `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
    return [name.replaceAll(sep, '/'), { type, etag, plain, br, gzip: gz }];
  });
  return new Map(await Promise.all(files));
}

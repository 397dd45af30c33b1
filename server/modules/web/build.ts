// The pages are built when their source has changed, by a process of their own, while the server serves already.
//
//   web/dist           made by `npm run build`, for releases and disks that cannot be written to
//   <cache>/web-<hash> made by the first start after a change
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { sourceHash } from '../../../web/source.ts';

const root = join(import.meta.dirname, '..', '..', '..', 'web');
const HASH_FILE = 'source-hash';

const cacheFolder = () => (process.env.NODE_COMPILE_CACHE ? dirname(process.env.NODE_COMPILE_CACHE) : tmpdir());

let built: Promise<string> | undefined;
/** The folder of the built pages, once for the process. A build that failed is tried again by the next request. */
export function builtPages(logger: FastifyBaseLogger): Promise<string> {
  built ??= build(logger).catch((error) => {
    built = undefined;
    throw error;
  });
  return built;
}

async function build(logger: FastifyBaseLogger): Promise<string> {
  const hash = sourceHash();
  const shipped = join(root, 'dist');
  if (existsSync(join(shipped, HASH_FILE)) && readFileSync(join(shipped, HASH_FILE), 'utf8') === hash) return shipped;
  const folder = join(cacheFolder(), `web-${hash}`);
  if (existsSync(folder)) return folder;
  const began = performance.now();
  const child = spawn(process.execPath, [join(root, 'build.ts'), folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new Error(`The pages could not be built: ${said.slice(0, 2000)}`);
  logger.info({ ms: Math.round(performance.now() - began) }, 'the pages are built');
  return folder;
}

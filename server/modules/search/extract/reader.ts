// The process in which files are read: one after the other, in a low priority.
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Extraction } from './extract.ts';
import { textOf } from './formats.ts';
import type { Asked, Said } from './guarded.ts';
import type { Limits } from './limits.ts';

const limits = JSON.parse(process.argv[2] ?? '') as Limits;
const watchdog = new Worker(new URL('./watchdog.ts', import.meta.url), { workerData: limits });
let chunks: Uint8Array[] = [];

try {
  setPriority(10);
} catch {
  // Some systems allow none to be set.
}
process.on('disconnect', () => process.exit());
// Ctrl-C of a terminal reaches every process; the server ends this one.
process.on('SIGINT', () => {});
process.on('message', async (asked: Asked) => {
  if ('chunk' in asked) {
    chunks.push(asked.chunk);
    return;
  }
  watchdog.postMessage('begin');
  const bytes = Buffer.concat(chunks);
  chunks = [];
  const answer: Extraction = await textOf(bytes, asked.content_type, limits);
  watchdog.postMessage('end');
  say({ answer, is_usable: process.memoryUsage.rss() < (limits.memory_mb * 1024 ** 2) / 2 });
});
say('started');

function say(said: Said) {
  process.send?.(said);
}

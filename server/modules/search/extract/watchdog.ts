// A thread that sees the process from within, also while a library does not let go: it ends the process when the file
// at hand costs too much processor or memory, or the server is gone. V8's own limit does not hold for buffers.
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Limits } from './limits.ts';

const { memory_mb, processor_ms } = workerData as Limits;
const LOOKS_EVERY_MS = 20;
const REASONS_FD = 4;
const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const server = process.ppid;
let looking: NodeJS.Timeout | undefined;

parentPort?.on('message', (message: 'begin' | 'end') => {
  clearInterval(looking);
  if (message === 'end') return;
  const began_ms = processorMs();
  looking = setInterval(() => {
    if (process.memoryUsage.rss() > memory_mb * 1024 ** 2) end('memory');
    if (processorMs() - began_ms > processor_ms) end('time');
    if (process.ppid !== server) end('the server is gone');
  }, LOOKS_EVERY_MS);
});

function end(reason: string) {
  try {
    writeSync(REASONS_FD, reason);
  } finally {
    // Nobody listens when the server is gone.
    process.kill(process.pid, 'SIGKILL');
  }
}

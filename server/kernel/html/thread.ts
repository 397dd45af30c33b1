// The thread of html.ts.
import { parentPort, workerData } from 'node:worker_threads';
import type { Reply } from './html.ts';
import { sanitized, TooDeep } from './sanitizer.ts';

parentPort?.on('message', (html: string) => parentPort?.postMessage(reply(html)));

function reply(html: string): Reply {
  try {
    return { safe: sanitized(html, workerData) };
  } catch (failure) {
    return failure instanceof TooDeep ? { safe: undefined } : { failure };
  }
}

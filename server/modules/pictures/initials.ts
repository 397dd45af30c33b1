// Initials as a PNG of 512 pixels, crisp at half of that on dense screens too.
import { Worker } from 'node:worker_threads';
import { refuse } from '../../kernel/contract/errors.ts';

const KEPT_MAX = 1000;
const WAITING_MAX = 200;

/** By the initials, the last used last. */
const kept = new Map<string, Promise<Buffer>>();

export function initialsPicture(initials: string): Promise<Buffer> {
  const picture = kept.get(initials) ?? drawn(initials);
  kept.delete(initials);
  kept.set(initials, picture);
  picture.catch(() => kept.delete(initials));
  const [oldest = initials] = kept.keys();
  if (kept.size > KEPT_MAX) kept.delete(oldest);
  return picture;
}

async function drawn(initials: string): Promise<Buffer> {
  const svg = await outlined(initials);
  const { default: sharp } = await import('sharp');
  return sharp(Buffer.from(svg)).png().toBuffer();
}

/** Those whose drawing the thread was asked for, in order. */
let waiting: PromiseWithResolvers<string>[] = [];
let thread: Worker | undefined;
function outlined(initials: string): Promise<string> {
  if (waiting.length >= WAITING_MAX)
    refuse('unavailable', 'Too many pictures are being drawn. Try again shortly.', { headers: { 'retry-after': '1' } });
  thread ??= started();
  const drawing = Promise.withResolvers<string>();
  waiting.push(drawing);
  thread.postMessage(initials);
  return drawing.promise;
}

function started(): Worker {
  const worker = new Worker(new URL('./glyphs.ts', import.meta.url));
  worker.unref();
  worker.on('message', (svg: string) => waiting.shift()?.resolve(svg));
  worker.on('error', (error) => {
    thread = undefined;
    for (const { reject } of waiting) reject(error);
    waiting = [];
  });
  return worker;
}

import { once } from 'node:events';

/** The command line itself is wrong. */
export class UsageError extends Error {}

// Whoever reads the output may have had enough: `atrium list … | head`.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));

export async function write(text) {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  return 0;
}
export const writeLine = (value) => write(`${JSON.stringify(value)}\n`);
/** For people when they look at it, for programs in one line. */
export const writeJson = (value) => write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)}\n`);

/** Warnings of an answer go where they are in nobody's way. */
export function warn({ warnings = [] } = {}) {
  for (const sentence of warnings) process.stderr.write(`${sentence}\n`);
}

/** Ctrl-C ends what runs; a second one ends the process. */
export function endings() {
  const controller = new AbortController();
  let code = 130;
  const end = (signal) => {
    code = signal === 'SIGTERM' ? 143 : 130;
    controller.abort(new Error(signal));
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return { signal: controller.signal, code: () => code };
}

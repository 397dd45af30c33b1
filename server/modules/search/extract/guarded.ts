// The server's side of the process in which files are read (reader.ts).
import { spawn } from 'node:child_process';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Extraction } from './extract.ts';
import type { Limits } from './limits.ts';

/** Messages to the process: the bytes, then what they are. */
export type Asked = { chunk: Uint8Array } | { content_type: string };
export interface Answered {
  answer: Extraction;
  /** False: the process is gone, or has grown so much that a new one is better. */
  is_usable: boolean;
}
/** Messages from the process: that it has started, then the answers. */
export type Said = 'started' | Answered;

export interface Guarded {
  readonly pid: number | undefined;
  /** One at a time. Throws what `content` throws. */
  ask(content_type: string, content: AsyncIterable<Uint8Array>): Promise<Answered>;
  end(): void;
}

export function startGuarded(limits: Limits): Guarded {
  const child = spawn(
    process.execPath,
    [...flags(limits), join(import.meta.dirname, 'reader.ts'), JSON.stringify(limits)],
    // The last is where the watchdog says why it ends the process.
    { cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'], serialization: 'advanced' },
  );
  const why = child.stdio[4] as Readable & { ref(): void; unref(): void };
  let [reason, hasStarted] = ['', false];
  let answered: ((answered: Answered) => void) | undefined;
  why.setEncoding('utf8').on('data', (text: string) => (reason += text));
  child.on('message', (said: Said) => {
    if (said === 'started') hasStarted = true;
    else answered?.(said);
  });
  const gone = new Promise<Answered>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (!hasStarted || STOPPED.includes(signal ?? '')) return reject(new Error(`It ended with ${signal ?? code}.`));
      // A process of Node that throws ends with 1; one that runs out of memory is aborted.
      const refused = reason === 'time' ? 'time' : code === 1 ? 'broken' : 'too large';
      resolve({ answer: { refused }, is_usable: false });
    });
  });
  gone.catch(() => {});
  /** Only while it is asked does the process keep the server from ending. */
  const hold = (isAsked: boolean) => {
    for (const each of [child, child.channel, why]) isAsked ? each?.ref() : each?.unref();
  };
  const send = (asked: Asked) =>
    new Promise<void>((resolve) => (child.connected ? child.send(asked, () => resolve()) : resolve()));
  hold(false);

  return {
    pid: child.pid,
    end: () => child.kill('SIGKILL'),
    async ask(content_type, content) {
      const { promise, resolve } = Promise.withResolvers<Answered>();
      answered = resolve;
      const onTheClock = setTimeout(() => {
        reason = 'time';
        child.kill('SIGKILL');
      }, limits.clock_ms);
      hold(true);
      try {
        let bytes = 0;
        for await (const chunk of content) {
          bytes += chunk.length;
          if (bytes > limits.file_bytes_max) return { answer: { refused: 'too large' }, is_usable: false };
          if (!child.connected) break;
          await send({ chunk });
        }
        await send({ content_type });
        return await Promise.race([promise, gone]);
      } finally {
        clearTimeout(onTheClock);
        hold(false);
      }
    },
  };
}

/** Reads its own program, and nothing else: no file, no network (Node 25 and later), no child, no native code. */
export const flags = ({ heap_mb }: Limits) => [
  '--permission',
  '--allow-worker',
  ...[import.meta.dirname, ...LIBRARIES].map((folder) => `--allow-fs-read=${join(folder, sep)}`),
  '--disallow-code-generation-from-strings',
  '--disable-warning=SecurityWarning',
  `--max-old-space-size=${heap_mb}`,
];

/** By whoever stops the server: that says nothing about the file. */
const STOPPED = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** The folders of packages that the libraries and what they need lie in. */
const LIBRARIES = new Set(
  ['pdfjs-dist/package.json', 'yauzl', 'htmlparser2', 'chardet'].map((name) => {
    const path = fileURLToPath(import.meta.resolve(name));
    const folder = join(sep, 'node_modules', sep);
    return path.slice(0, path.lastIndexOf(folder) + folder.length);
  }),
);

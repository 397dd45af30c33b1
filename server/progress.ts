import type { SingleBar } from 'cli-progress';

const LINE_MS = 10_000;
const FORMAT = '{bar} {percentage}%  {value} of {total}  {eta_formatted} left';

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** How far something is that takes long: a bar in a terminal, elsewhere a line every ten seconds. */
export async function showProgress(
  what: string,
  total: number,
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
  now = () => performance.now(),
): Promise<Progress> {
  if (stream.isTTY) return bar(what, total, stream);
  let said = now();
  return {
    update(done) {
      if (now() - said < LINE_MS) return;
      said = now();
      stream.write(`${what}: ${done} of ${total} (${Math.floor((100 * done) / total)} %)\n`);
    },
    stop() {},
  };
}

async function bar(what: string, total: number, stream: NodeJS.WritableStream): Promise<Progress> {
  const { SingleBar } = await import('cli-progress');
  const shown: SingleBar = new SingleBar({ stream, format: `${what} ${FORMAT}`, hideCursor: true });
  shown.start(total, 0);
  return shown;
}

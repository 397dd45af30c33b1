// A load generator that costs little: raw sockets, requests made beforehand, replies only measured by their length.
import { connect } from 'node:net';

export interface Load {
  port: number;
  /** The next whole request. */
  next(): Buffer;
  seconds: number;
  connections?: number | undefined;
  /** Before anything is counted. */
  settle_s?: number | undefined;
}

export const CONNECTIONS = 32;
/** Long enough to bring back what another case has pushed out of the caches. */
const SETTLE_S = 2;

/** Replies per second, counted after the connections have settled. A reply other than 2xx ends the run. */
export async function measure({
  port,
  next,
  seconds,
  connections = CONNECTIONS,
  settle_s = SETTLE_S,
}: Load): Promise<number> {
  const began = performance.now();
  const [from, until] = [began + settle_s * 1000, began + (settle_s + seconds) * 1000];
  let replies = 0;
  let all = 0;
  const counted = () => {
    const now = performance.now();
    all++;
    if (now >= from && now < until) replies++;
    return now < until;
  };
  await Promise.all(Array.from({ length: connections }, () => converse(port, next, counted)));
  // Where a reply takes about as long as the run, those that began in it are waited for and counted over all of it.
  return replies < 4 * connections ? all / ((performance.now() - began) / 1000) : replies / seconds;
}

/** Sends one request after another on one connection while `goOn` says so. */
function converse(port: number, next: () => Buffer, goOn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(next()));
    let head: Buffer | undefined;
    let missing = -1;
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection.')));
    socket.on('data', (chunk: Buffer) => {
      if (missing < 0) {
        const text = head ? Buffer.concat([head, chunk]) : chunk;
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) {
          head = text;
          return;
        }
        head = undefined;
        const lines = text.toString('latin1', 0, end);
        if (!lines.startsWith('HTTP/1.1 20')) return void socket.destroy(new Error(text.toString().slice(0, 800)));
        missing = Number(/content-length: (\d+)/i.exec(lines)?.[1]) - (text.length - end - 4);
      } else missing -= chunk.length;
      if (missing > 0) return;
      missing = -1;
      if (goOn()) return void socket.write(next());
      socket.removeAllListeners('close').destroy();
      resolve();
    });
  });
}

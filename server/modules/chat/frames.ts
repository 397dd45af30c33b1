// What a server writes to a WebSocket (RFC 6455). A text is made into a frame once and written to every socket as it
// is; several frames for one socket are one write. Nothing is compressed, so that order is the order of writes.
import type { Connection } from './connection.ts';

/** RFC 6455 5.2: one unfragmented, unmasked text frame. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const head = bytes < 126 ? 2 : bytes < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + bytes);
  frame[0] = 0x81;
  frame[1] = head === 2 ? bytes : head === 4 ? 126 : 127;
  if (head === 4) frame.writeUInt16BE(bytes, 2);
  if (head === 10) frame.writeBigUInt64BE(BigInt(bytes), 2);
  frame.write(text, head);
  return frame;
}

type Wire = Pick<Connection, 'ws' | 'stream'>;
/** What waits for a slow client at most. Beyond that it is dropped; it comes back and resumes. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

export function write({ ws, stream }: Wire, frames: Buffer): void {
  if (ws.readyState !== ws.OPEN) return;
  if (stream.writableLength > BUFFERED_BYTES_MAX) ws.terminate();
  else stream.write(frames);
}

/** Resolves when at most half of what may wait is waiting, or the connection has ended. */
export function drained({ ws, stream }: Wire): Promise<void> {
  if (stream.writableLength < BUFFERED_BYTES_MAX / 2 || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      ws.off('close', done);
      resolve();
    };
    stream.once('drain', done);
    ws.once('close', done);
  });
}

// What a server writes to a WebSocket (RFC 6455). A text is made into a frame once and written to every socket as it is;
// several frames for one socket are one write. Nothing is compressed, so that order is the order of writes.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** RFC 6455 5.2: one unfragmented, unmasked text frame. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const head = bytes < 126 ? 2 : bytes < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + bytes);
  frame[0] = 0x81;
  if (head === 2) frame[1] = bytes;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(bytes, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(bytes), 2);
  }
  frame.write(text, head);
  return frame;
}

/** What waits for a slow client at most. Beyond that it is dropped; it comes back and resumes. */
export const BUFFERED_BYTES_MAX = 1024 * 1024;

export interface Wire {
  readonly ws: WebSocket;
  /** The connection below, as the upgrade handed it over. */
  readonly stream: Duplex;
}

/** Returns false when the client was too slow and is dropped. */
export function write({ ws, stream }: Wire, frames: Buffer): boolean {
  if (ws.readyState !== ws.OPEN) return false;
  if (stream.writableLength > BUFFERED_BYTES_MAX) {
    ws.terminate();
    return false;
  }
  stream.write(frames);
  return true;
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

// A line between a browser and the server that can be cut: what is on its way is lost, and nothing new gets through.
import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

export async function breakable(url: string) {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isMute = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes) => {
        if (one === near || !isMute) other.write(bytes);
      });
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, hostname, listening));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  after(() => {
    cut();
    server.close();
  });
  /** What the browser says still arrives; it hears no answer. */
  const mute = () => {
    isMute = true;
  };
  const mend = () => {
    isCut = false;
    isMute = false;
  };
  return { url: `http://${hostname}:${(server.address() as { port: number }).port}`, cut, mute, mend };
}

// What anybody would write first: a `ws` server that sends every message to every client.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (message) => {
    const text = message.toString();
    for (const client of server.clients) client.send(text);
  });
});
server.on('listening', () =>
  process.stdout.write(`serves on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);

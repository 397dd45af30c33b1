// Somebody else's server: real HTTP on loopback, which remembers what it was sent.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read payloads of every shape.
  json: any;
}
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** How it answers from now on; it has read the body. */
  answer: (response: ServerResponse, request: Received) => void;
}

export const answering =
  (status: number, body = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

/** Answers 204 until it is told otherwise. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], answer: answering(204) };
  const listener: RequestListener = async (request, response) => {
    const received = await readWhole(request);
    receiver.received.push(received);
    receiver.answer(response, received);
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(receiver, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` });
}

export async function readWhole(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  const json = /[/+]json/.test(request.headers['content-type'] ?? '') ? JSON.parse(body) : undefined;
  return { path: request.url ?? '', headers: request.headers as Record<string, string>, body, json };
}

// Connections and requests of the guard (egress.ts), each within its time, and what they can fail with.
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import type { Agent, buildConnector } from 'undici';

/**
 * `kind` is refused_address, dns_failed, connect_timeout, connection_refused, connection_failed, tls_failed,
 * response_timeout, connection_closed or invalid_response.
 */
export class EgressFailure extends Error {
  readonly kind: string;
  constructor(kind: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export interface EgressRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** What is read of the answer; the rest is cut off. */
  answer_bytes_max: number;
}
export interface EgressAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export const CONNECT_MS = 5000;
const ANSWER_MS = 5000;
const NOTHING = Buffer.alloc(0);

/** undici's own connector counts its timeout in whole seconds. */
export function connector(settings: Pick<tls.ConnectionOptions, 'lookup' | 'ca'>): buildConnector.connector {
  return async ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = { ...settings, host, port: Number(port || (secure ? 443 : 80)), noDelay: true, keepAlive: true };
    const servername = net.isIP(host) ? '' : host.replace(/\.$/, '');
    const socket = secure ? tls.connect({ ...options, servername, ALPNProtocols: ['http/1.1'] }) : net.connect(options);
    let reached = false;
    socket.once('connect', () => {
      reached = true;
    });
    try {
      await once(socket, secure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    } catch (error) {
      socket.on('error', () => {});
      socket.destroy();
      return callback(connectFailure(error as NodeJS.ErrnoException, secure && reached), null);
    }
    callback(null, socket);
  };
}

function connectFailure(error: NodeJS.ErrnoException, inTls: boolean): EgressFailure {
  if (error instanceof EgressFailure) return error;
  if (error.name === 'AbortError') return new EgressFailure('connect_timeout', 'No connection within 5 s.', error);
  if (inTls) return new EgressFailure('tls_failed', `TLS: ${error.message}`, error);
  if (error.code === 'ECONNREFUSED') return new EgressFailure('connection_refused', 'Nothing listens there.', error);
  if (error.code === 'ETIMEDOUT') return new EgressFailure('connect_timeout', 'No connection in time.', error);
  return new EgressFailure('connection_failed', error.message || String(error.code), error);
}

export const dispatch = (
  agent: Agent,
  { origin, path }: { origin: string; path: string },
  { method, headers, body, answer_bytes_max }: EgressRequest,
): Promise<EgressAnswer> =>
  new Promise((resolve, reject) => {
    const answer: EgressAnswer = { status: 0, headers: {}, body: NOTHING };
    const chunks: Buffer[] = [];
    let length = 0;
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      if (chunks.length > 0) answer.body = Buffer.concat(chunks).subarray(0, answer_bytes_max);
      resolve(answer);
    };
    agent.dispatch(
      { origin, path, method, headers: headers as Record<string, string>, body: body ?? null },
      {
        onRequestStart(controller) {
          const tooLate = () =>
            controller.abort(new EgressFailure('response_timeout', 'No complete answer within 5 s.'));
          timer = setTimeout(tooLate, ANSWER_MS);
        },
        onResponseStart(_controller, status, received) {
          answer.status = status;
          answer.headers = received;
        },
        onResponseData(controller, chunk) {
          chunks.push(chunk);
          length += chunk.length;
          if (length < answer_bytes_max) return;
          finish();
          controller.abort(new Error('enough was read'));
        },
        onResponseEnd: finish,
        onResponseError(_controller, error) {
          clearTimeout(timer);
          reject(answerFailure(error));
        },
      },
    );
  });

function answerFailure(error: Error & { code?: string }): EgressFailure {
  if (error instanceof EgressFailure) return error;
  const malformed = /^UND_ERR_(HEADERS_OVERFLOW|RES|NOT_SUPPORTED|RESPONSE)/.test(error.code ?? '');
  if (error.name === 'HTTPParserError' || malformed)
    return new EgressFailure('invalid_response', `The answer is not HTTP/1.1: ${error.message}`, error);
  const message = `The connection ended before the answer was complete: ${error.message}`;
  return new EgressFailure('connection_closed', message, error);
}

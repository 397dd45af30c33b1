// One attempt: a request through the guard, and what came of it in words of the log.
import type { FastifyBaseLogger } from 'fastify';
import { type Egress, EgressFailure } from './egress.ts';

export interface Outgoing {
  /** Moment of the attempt, as headers and log show it: microseconds since 1970. */
  at: number;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** What the log shows in place of headers that carry secrets. */
  masked: Readonly<Record<string, string>>;
  /** Headers that cost a request of their own; `renew` after a 401, once. Throws a DeliveryFailure. */
  authorise?(renew: boolean): Promise<Record<string, string>>;
}
export const loggedHeaders = ({ headers, masked }: Outgoing) => ({ ...headers, ...masked });
/** Not sent, now or ever. */
export interface Withheld {
  withheld: string;
}
/** A failure to deliver that is no answer of the target. */
export class DeliveryFailure extends Error {
  readonly kind: string;
  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}
export interface Answer {
  status: number | null;
  /** Null: delivered. */
  failure: string | null;
  answer: string | null;
  latency_ms: number;
}

const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 4 * 1024;

/** Never rejects. */
export function createAttempt(egress: Egress, logger: FastifyBaseLogger) {
  const post = ({ url, headers, body }: Outgoing, more?: Record<string, string>) =>
    egress.send({
      method: 'POST',
      url,
      headers: more ? { ...headers, ...more } : headers,
      body,
      answer_bytes_max: READ_BYTES_MAX,
    });
  const authorised = async (outgoing: Outgoing, authorise: NonNullable<Outgoing['authorise']>) => {
    const first = await post(outgoing, await authorise(false));
    return first.status === 401 ? post(outgoing, await authorise(true)) : first;
  };
  return (outgoing: Outgoing): Promise<Answer> => {
    const began = performance.now();
    const latency = () => Math.round(performance.now() - began);
    return (outgoing.authorise ? authorised(outgoing, outgoing.authorise) : post(outgoing)).then(
      ({ status, body }) => ({
        status,
        failure: status >= 200 && status < 300 ? null : `status_${status}`,
        answer: readable(body),
        latency_ms: latency(),
      }),
      (error) => {
        if (error instanceof EgressFailure || error instanceof DeliveryFailure)
          return {
            status: null,
            failure: error.kind,
            answer: readable(Buffer.from(error.message)),
            latency_ms: latency(),
          };
        logger.error({ err: error }, 'a delivery could not be attempted');
        return { status: null, failure: 'internal_error', answer: null, latency_ms: latency() };
      },
    );
  };
}

/** As text that PostgreSQL takes. */
const readable = (bytes: Buffer) =>
  bytes.length === 0 ? '' : bytes.subarray(0, KEPT_BYTES_MAX).toString('utf8').replaceAll('\0', '\uFFFD');

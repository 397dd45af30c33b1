// One attempt: a request through the guard, and what came of it in words of the log.
import { type Egress, EgressFailure } from './egress.ts';

export interface Outgoing {
  /** Moment of the attempt, as headers and log show it: microseconds since 1970. */
  at: number;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** What the log shows in place of headers that carry secrets. */
  masked: Readonly<Record<string, string>>;
  /** Headers that cost a request of their own; `renew` after a 401, once. */
  authorise?(renew: boolean): Promise<Record<string, string>>;
}
export const loggedHeaders = ({ headers, masked }: Outgoing) => ({ ...headers, ...masked });
/** Not sent, now or ever. */
export interface Withheld {
  withheld: string;
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

/** `onFault` hears of what no target can be blamed for; without it, that is thrown. */
export async function send(
  egress: Egress,
  { url, headers, body, authorise }: Outgoing,
  onFault?: (error: unknown) => void,
): Promise<Answer> {
  const began = performance.now();
  const answered = (status: number | null, failure: string | null, answer: Buffer): Answer => {
    return { status, failure, answer: readable(answer), latency_ms: Math.round(performance.now() - began) };
  };
  const request = { method: 'POST', url, headers, body, answer_bytes_max: READ_BYTES_MAX } as const;
  const authorised = (more: Record<string, string>) => egress.send({ ...request, headers: { ...headers, ...more } });
  try {
    const first = await (authorise ? authorise(false).then(authorised) : egress.send(request));
    const { status, body } = first.status === 401 && authorise ? await authorise(true).then(authorised) : first;
    return answered(status, status >= 200 && status < 300 ? null : `status_${status}`, body);
  } catch (error) {
    if (error instanceof EgressFailure) return answered(null, error.kind, Buffer.from(error.message));
    if (!onFault) throw error;
    onFault(error);
    return { ...answered(null, 'internal_error', Buffer.from('')), answer: null };
  }
}

/** As text that PostgreSQL takes. */
const readable = (bytes: Buffer) =>
  bytes.length === 0 ? '' : bytes.subarray(0, KEPT_BYTES_MAX).toString('utf8').replaceAll('\0', '\uFFFD');

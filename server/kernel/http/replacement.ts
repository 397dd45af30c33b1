// What a PUT clears: fields that it leaves out and that had a value. Asked only for programs, and only where a body
// leaves something out; the request log tells them.
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/contract.ts';
import type { Answer } from './envelope.ts';
import type { Call } from './routes.ts';

type Handler = (call: Call) => Promise<Answer | undefined>;
type Fields = Record<string, unknown>;
interface ObjectSchema {
  properties?: Fields;
  required?: string[];
}

/** Fields that a replacement may leave out and that its resource shows. */
export function clearableFields({ method, body }: Endpoint, read: Endpoint | undefined): readonly string[] {
  if (method !== 'PUT' || !body || !read?.reply) return [];
  const { properties = {}, required = [] } = body as ObjectSchema;
  const shown = (read.reply as ObjectSchema).properties ?? {};
  return Object.keys(properties).filter((name) => !required.includes(name) && name in shown);
}

/** Of a single resource. */
export const dataOf = (answer: Answer | undefined): Fields | undefined => {
  const data = typeof answer === 'object' && 'data' in answer ? answer.data : answer;
  return typeof data === 'string' ? (JSON.parse(data) as Fields) : undefined;
};
/** There is nothing to lose. */
export const isEmpty = (value: unknown) =>
  value == null || value === '' || value === false || value === 0 || (Array.isArray(value) && value.length === 0);

/** The handler, between two looks at the resource. */
export function notingCleared(request: FastifyRequest, names: readonly string[], read: Handler, run: Handler): Handler {
  const sent = (request.body ?? {}) as Fields;
  const left = names.filter((name) => !(name in sent));
  if (left.length === 0) return run;
  return async (call) => {
    const { language } = sent;
    const query = typeof language === 'string' ? { language } : {};
    const before = dataOf(await read({ ...call, query } as Call).catch(() => undefined));
    const answer = await run(call);
    const after = dataOf(answer);
    if (before && after)
      request.cleared = left.filter(
        (name) =>
          name in after && !isEmpty(before[name]) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
      );
    return answer;
  };
}

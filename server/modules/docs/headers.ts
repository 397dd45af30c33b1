// Headers of answers, each a component that responses refer to.
import type { Endpoint } from '../../kernel/contract/contract.ts';
import { isMemberOf } from '../../kernel/http/links.ts';
import { isSingle } from '../../kernel/http/validators.ts';
import { type Components, pascal } from './components.ts';

const text = { type: 'string', maxLength: 255 };
const headers: Record<string, object> = {
  'X-Request-Id': { description: 'Identifies the request in logs.', schema: { type: 'string', format: 'uuid' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0, maximum: 86_400 } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text },
  ETag: { description: 'Of what was read: for If-Match and If-None-Match.', schema: text },
  Location: { description: 'Path of what was made.', schema: { type: 'string', format: 'uri-reference' } },
  Link: { description: 'RFC 8288: next, prev and first; or what is said of a deprecation.', schema: text },
  Deprecation: { description: 'RFC 9745: since when, @ and Unix seconds.', schema: text },
  Sunset: { description: 'RFC 8594: until when it is there.', schema: text },
  'Set-Cookie': { description: 'The session.', schema: text },
  'Content-Disposition': { description: 'Its file name.', schema: text },
};

/** Those that an answer may have beside those of HTTP itself. */
export const headersOf = (names: readonly string[], components: Components) =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [
      name,
      components.put('headers', [pascal(name)], headers[name] as object),
    ]),
  );

/**
 * Of successes, by operation. Operations whose replies have one title share the response, with the headers that any of
 * them has.
 */
export function headersOfReplies(operations: readonly { operation: string; endpoint: Endpoint }[]) {
  const endpoints = operations.map(({ endpoint }) => endpoint);
  const byTitle = Map.groupBy(endpoints, titleOf);
  const own = (endpoint: Endpoint) => [
    ...(isSingle(endpoint) ? ['ETag'] : []),
    ...(endpoints.some((one) => isMemberOf(endpoint, one)) ? ['Location'] : []),
    ...(endpoint.list ? ['Link'] : []),
    ...(endpoint.media ? ['Content-Disposition'] : []),
  ];
  return ({ deprecated, setsCookie, ...endpoint }: Endpoint): string[] => {
    const title = titleOf(endpoint);
    const shared = title === undefined ? [endpoint] : (byTitle.get(title) ?? []);
    const names = [
      ...shared.flatMap(own),
      ...(deprecated ? ['Link', 'Deprecation', ...(deprecated.sunset ? ['Sunset'] : [])] : []),
      ...(setsCookie ? ['Set-Cookie'] : []),
    ];
    return [...new Set(names)].sort();
  };
}
/** Undefined: the reply is of this operation alone. */
const titleOf = ({ list, reply, media }: Endpoint): string | undefined => {
  const { title } = (list ?? reply ?? {}) as { title?: string };
  return title === undefined || media ? undefined : `${title} ${list !== undefined}`;
};

import { randomUUID } from 'node:crypto';

/** RFC 9562 5.7: its first 48 bits are the moment, so that whoever has the id knows when to look. */
export function requestId(now_ms: number): string {
  const time = Math.floor(now_ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Milliseconds since 1970; undefined: it is no such id. */
export function momentOf(request_id: string): number | undefined {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/i.exec(request_id) ?? [];
  return high === undefined ? undefined : Number.parseInt(high + low, 16);
}

import { Readable } from 'node:stream';
import { isoOfMicros } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { findEvents, type Place } from './queries.ts';

const DAYS_MAX = 31;
const AT_ONCE = 500;

/** The whole reply as text, a slice at a time: exporters of others read it in one piece. */
export function securityEvents(tx: Tx, { start, end }: { start: number; end: number }, { brand }: Config): Readable {
  if (end < start) refuseInvalid('end', 'must not be before start');
  if (end - start > DAYS_MAX * 86_400) refuseInvalid('end', `must be at most ${DAYS_MAX} days after start`);
  const [from, to] = [isoOfMicros(start * 1e6), isoOfMicros(end * 1e6)];
  async function* text() {
    yield '{"data":[';
    let place: Place = { at: from, sequence: 0 };
    for (let isFirst = true; ; isFirst = false) {
      const slice = await findEvents(tx, place, to, `${brand.toLowerCase()}_id`, AT_ONCE);
      const jsons: Json[] = slice.map(({ json }) => json);
      if (jsons.length > 0) yield (isFirst ? '' : ',') + jsons.join(',');
      if (slice.length < AT_ONCE) break;
      place = slice.at(-1) ?? place;
    }
    yield '],"status":"success","meta":{}}';
  }
  return Readable.from(text(), { objectMode: false });
}

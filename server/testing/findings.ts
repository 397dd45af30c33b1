import { settled } from '../modules/requests/log.ts';
import type { TestAtrium } from './atrium.ts';

/** What programs did wrong by the request log, as sentences. */
export async function findingsIn(atrium: TestAtrium): Promise<string[]> {
  await settled(atrium.services);
  // They are made once a minute.
  atrium.clock.advance(60_000);
  await atrium.drain();
  const rows = await atrium.rows<{ rule: string; seen: string }>('select rule, seen from request_findings order by id');
  return rows.map(({ rule, seen }) => `${rule}: ${seen}`);
}

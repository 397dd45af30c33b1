import { pause } from './connection.js';

const SETTLED_MS = 2000;
const LOOKS = 4;

/**
 * After a write whose outcome is uncertain: had it happened? Reads by your own id, for a moment again and again, since
 * what was cut off may still be on its way. `{ happened: true, data }`, or `{ happened: false }`: then it may be
 * repeated.
 */
export async function reconcile(read, external_id, { settledMs = SETTLED_MS, ...settings } = {}) {
  for (let look = 1; ; look++) {
    try {
      const { data } = await read({ external_id }, settings);
      return { happened: true, data };
    } catch (error) {
      if (error.status !== 404) throw error;
      if (look === LOOKS) return { happened: false };
    }
    await pause(settledMs / (LOOKS - 1), settings.signal);
  }
}

import { connectionOf } from './client.js';

const TAKE = 100;

/**
 * Every row of a list, once: `each(atrium.listPages, { space_id: 3 })`. Skip is advanced by take. When rows went away
 * meanwhile, others have moved up to where was read already: as many pages back are read again.
 */
export async function* each(list, request = {}, settings) {
  const { take = TAKE } = request;
  const seen = new Set();
  let known = 0;
  for (let skip = request.skip ?? 0; ; ) {
    const { data, meta } = await list({ ...request, skip, take }, settings);
    const { total_records, next_page } = meta.pagination;
    for (const row of data) {
      const key = keyOf(row);
      if (seen.has(key)) continue;
      seen.add(key);
      yield row;
    }
    const gone = known - total_records;
    known = total_records;
    if (gone > 0 && skip > (request.skip ?? 0))
      skip = Math.max(request.skip ?? 0, skip - Math.ceil(gone / take) * take);
    else if (next_page === null) return;
    else skip += take;
  }
}

/** Rows without an id, as awards are, may be alike in all but one field. */
const keyOf = (row) => row.id ?? JSON.stringify(row);

const POLLED_MS = 5000;

/**
 * What changed, in order. Each row has a `sequence`: give that of the last one you have dealt with as `after`, and it
 * goes on there. With `follow` it waits for more and ends only by its signal.
 */
export async function* changes(atrium, { follow = false, pollMs = POLLED_MS, ...request } = {}, settings) {
  const { wait } = connectionOf(atrium);
  for (let { after } = request; ; ) {
    const { data, meta } = await atrium.listChanges({ take: 500, ...request, after }, settings);
    yield* data;
    after = meta.next;
    if (meta.has_more) continue;
    if (!follow) return;
    await wait(pollMs, settings?.signal);
  }
}

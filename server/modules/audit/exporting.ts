import { Readable } from 'node:stream';
import type { Tx } from '../../kernel/data/db.ts';
import { NO_HASH } from './chain.ts';
import { type Form, sealOf } from './formats.ts';
import { type Filter, findHead, findSlice, isFiltered } from './queries.ts';

const AT_ONCE = 500;

/** In memory is one slice, however long it gets: the next is read when the client has taken this one. */
export async function exported(tx: Tx, filter: Filter, form: Form): Promise<Readable> {
  const head = (await findHead(tx)) ?? { sequence: 0, first_sequence: 1, hash: NO_HASH };
  async function* lines() {
    if (form.head) yield form.head;
    let [from, to, entries] = [0, 0, 0];
    for await (const slice of slices(tx, filter, head.sequence)) {
      from ||= slice[0]?.sequence ?? 0;
      to = slice.at(-1)?.sequence ?? to;
      entries += slice.length;
      yield slice.map(({ json }) => form.line(json)).join('');
    }
    if (form.file_name !== 'audit.jsonl') return;
    yield sealOf({
      organisation_id: tx.organisation_id,
      exported_at: tx.now(),
      ...{ from_sequence: from, to_sequence: to, entries, is_filtered: isFiltered(filter) },
      head_hash: head.hash,
    });
  }
  return Readable.from(lines(), { objectMode: false });
}

export async function* slices(tx: Tx, filter: Filter, until: number) {
  for (let after = 0; ; ) {
    const slice = await findSlice(tx, filter, after, until, AT_ONCE);
    if (slice.length > 0) yield slice;
    if (slice.length < AT_ONCE) return;
    after = slice.at(-1)?.sequence ?? until;
  }
}

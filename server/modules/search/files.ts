// The text inside the files of documents. Indexing a document notes its file, the background reads it in a process of
// its own (extract/), and the document is indexed once more, with what was read.
//
// A file is claimed by a date, so that one whose reader died is read again, three times at most. Its row goes with the
// file.
import type { Tx } from '../../kernel/data/db.ts';
import { literal, sql } from '../../kernel/data/sql.ts';
import type { Storage } from '../../kernel/files/storage.ts';
import { TEXT_MAX } from './entries.ts';
import { extractText } from './extract/extract.ts';
import { familyOf } from './families.ts';
import { indexItems } from './indexing.ts';
import { findState, lockIndex } from './writing.ts';

const ATTEMPTS_MAX = 3;
const CLAIM_MINUTES = 3;

interface Claimed {
  asset_id: number;
  content_type: string;
  byte_size: number;
  storage_key: string;
  attempts: number;
}
const claim = (tx: Tx) =>
  tx.row<Claimed>(sql`
    update search_files x set attempts = x.attempts + 1,
      due_at = ${tx.now()}::timestamptz + ${literal(`${CLAIM_MINUTES} minutes`)}::interval
    from assets f
    where x.organisation_id = $1 and f.organisation_id = $1 and f.id = x.asset_id and x.asset_id = (
      select d.asset_id from search_files d
      where d.organisation_id = $1 and d.due_at <= ${tx.now()}::timestamptz
      order by d.due_at limit 1 for update skip locked)
    returning x.asset_id, f.content_type, f.byte_size, f.storage_key, x.attempts`);
const settle = (tx: Tx, asset_id: number, text: string | null, refused: string | null) =>
  tx.rows(sql`
    update search_files set text = ${text}, refused = ${refused}, due_at = null
    where organisation_id = $1 and asset_id = ${asset_id}`);

/** The chore. Returns whether there is more to read. */
export async function readFiles(tx: Tx, storage: Storage, turn_ms: number): Promise<boolean> {
  for (const until = Date.now() + turn_ms; ; ) {
    const file = await claim(tx);
    if (!file) return false;
    const { text, refused } = await read(tx.organisation_id, storage, file);
    // Too many are read already: its date brings it back.
    if (refused === 'busy' && file.attempts < ATTEMPTS_MAX) return false;
    await settle(tx, file.asset_id, text, refused);
    if (text) await indexDocumentsOf(tx, file.asset_id);
    if (Date.now() > until) return true;
  }
}

async function read(organisation_id: number, storage: Storage, { storage_key, ...file }: Claimed) {
  const gone = { text: null, refused: 'gone' };
  const stored = await storage.open(organisation_id, storage_key);
  if (!stored) return gone;
  const found = await extractText({ ...file, open: () => stored.stream }).finally(() => stored.stream.destroy());
  return 'text' in found
    ? { text: found.text.slice(0, TEXT_MAX).toWellFormed(), refused: null }
    : { text: null, ...found };
}

const indexDocumentsOf = (tx: Tx, asset_id: number) =>
  tx.transaction(async (inside) => {
    await lockIndex(inside);
    const state = await findState(inside);
    const { number: type } = familyOf('document');
    const documents = await inside.rows<{ id: number; sequence: number }>(sql`
      select d.id, d.sequence from content_files c join documents d on d.organisation_id = $1 and d.id = c.content_id
      where c.organisation_id = $1 and c.kind = 'document' and c.role = 'file' and c.asset_id = ${asset_id}`);
    if (state)
      await indexItems(
        inside,
        state.generation,
        documents.map((one) => ({ type, ...one })),
      );
  });

// Lookups of one shape and organisation that arrive while two batches are under way wait and become one statement.
// A lookup never joins a batch that was already sent, so it always sees what was committed before it was asked.
import type pg from 'pg';
import type { Json } from './db.ts';
import { prepared, sql, trusted } from './sql.ts';

/** A scalar query over one key, with the word KEY in its place: `select … where organisation_id = $1 and id = KEY`. */
export interface PointRead {
  readonly keyType: 'bigint' | 'text';
  readonly text: string;
}

export const BATCHES_IN_FLIGHT = 2;
const BATCH_MAX = 200;

interface Waiting {
  key: unknown;
  resolve(json: Json | undefined): void;
  reject(error: unknown): void;
}

export function createBatches(pool: pg.Pool, statements: { count: number }) {
  const queues = new Map<string, { organisation_id: number; read: PointRead; waiting: Waiting[] }>();
  const forms = new WeakMap<
    PointRead,
    { id: number; one: ReturnType<typeof prepared>; many: ReturnType<typeof prepared> }
  >();
  let formCount = 0;
  let inFlight = 0;
  let scheduled = false;

  const formOf = (read: PointRead) => {
    let form = forms.get(read);
    if (!form) {
      const [before = '', after = ''] = read.text.split('KEY');
      const key = (name: string) => trusted(`${before}${name}${after}`);
      form = {
        id: formCount++,
        one: prepared(sql`select (${key(`$2::${read.keyType}`)}) as json`),
        many: prepared(sql`
          select (${key('asked.key')}) as json
          from unnest($2::${trusted(read.keyType)}[]) with ordinality as asked(key, n)
          where $1::bigint is not null
          order by asked.n`),
      };
      forms.set(read, form);
    }
    return form;
  };

  const flush = () => {
    scheduled = false;
    while (inFlight < BATCHES_IN_FLIGHT) {
      const next = queues.entries().next().value;
      if (!next) return;
      const [name, queue] = next;
      const batch = queue.waiting.splice(0, BATCH_MAX);
      queues.delete(name);
      // Behind the others, so that one busy shape cannot starve the rest.
      if (queue.waiting.length > 0) queues.set(name, queue);
      inFlight++;
      send(queue.organisation_id, queue.read, batch).finally(() => {
        inFlight--;
        flush();
      });
    }
  };

  const send = async (organisation_id: number, read: PointRead, batch: Waiting[]) => {
    const { one, many } = formOf(read);
    const keys = [...new Map(batch.map(({ key }) => [String(key), key])).values()];
    const [single] = keys;
    statements.count++;
    try {
      const { rows } = await pool.query<{ json: Json | null }>(
        keys.length === 1
          ? { name: one.name, text: one.text, values: [organisation_id, single] }
          : { name: many.name, text: many.text, values: [organisation_id, keys] },
      );
      const found = new Map(keys.map((key, i) => [String(key), rows[i]?.json ?? undefined]));
      for (const { key, resolve } of batch) resolve(found.get(String(key)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return {
    /** On a connection of its own, with what its transaction has written. */
    async lookupOn(client: pg.PoolClient, organisation_id: number, read: PointRead, key: unknown) {
      const { one } = formOf(read);
      statements.count++;
      const { rows } = await client.query<{ json: Json | null }>({
        name: one.name,
        text: one.text,
        values: [organisation_id, key],
      });
      return rows[0]?.json ?? undefined;
    },
    lookup(organisation_id: number, read: PointRead, key: unknown): Promise<Json | undefined> {
      const name = `${formOf(read).id}:${organisation_id}`;
      return new Promise((resolve, reject) => {
        const queue = queues.get(name) ?? { organisation_id, read, waiting: [] };
        queue.waiting.push({ key, resolve, reject });
        queues.set(name, queue);
        if (!scheduled) {
          scheduled = true;
          // After the poll phase, when every request of this turn has been parsed.
          setImmediate(flush);
        }
      });
    },
  };
}

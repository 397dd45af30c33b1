// The way to the database, and the first file of this room.
//
// A statement belongs to one organisation: `db.inOrganisation(id)` gives a `Tx`, which sends the id as `$1` with
// everything. Nothing else reaches a table that has an organisation, so a query that forgets the tenant does not
// compile. (The directory of organisations, migrations and health use `db.installation`.) Outside a transaction each
// statement is on its own; inside `tx.transaction` all of them hold or none, and what runs `afterCommit` runs after
// that.
//
//   sql.ts          SQL as values: `sql` puts parameters and fragments together, `prepared` names the text
//   origin.ts       who asked, for the audit's triggers
//   rows.ts         rows from one list of columns: inserted, replaced, touched
//   listing.ts      a page of a list, with an exact total and a skip of any depth; list-blocks.ts keeps the counts
//                   behind it
//   point-reads.ts  many look-ups of one row each in one statement
//   deletion.ts     of DELETEs that overlap one succeeds and the others learn it
//   periods.ts      days of the organisation's calendar, as conditions
//   migrate.ts      brings the schema forward, once on however many nodes
//
// PostgreSQL makes the JSON of a reply: a statement's `json` column is sent as it comes. Numbers of 64 bits are read as
// JavaScript numbers (ids stay below 2^53); JSON columns stay text; timestamps are made text by the function iso() of
// the schema. A statement is prepared once a connection under a name made of its text, so its text must be the same for
// the same shape of call: what varies is a parameter, and what the planner must see (a limit, a state) is a literal.
//
// Three pools: one for everything, one of two connections for point reads, whose plans cannot differ, and one for
// searches, whose plans must not. A transaction that
// meets a deadlock or a serialisation failure runs again, up to three times: its work may only touch the database.
import pg from 'pg';
import type { Clock } from '../clock.ts';
import type { FanOut } from '../work/fan-out.ts';
import { mayChange, type Origin, Originated, prepareOrigin, startedBy } from './origin.ts';
import { BATCHES_IN_FLIGHT, createBatches, type PointRead } from './point-reads.ts';
import { prepared, type Sql, trusted } from './sql.ts';

/** JSON text made by PostgreSQL: a row is the reply, nothing parses it on the way out. */
export type Json = string & { readonly json: unique symbol };

/** Statements of one organisation. There is no other way to reach a table that belongs to one. */
export interface Tx {
  readonly organisation_id: number;
  /** This moment by the one clock, for every stored timestamp. */
  now(): string;
  rows<Row>(statement: Sql): Promise<Row[]>;
  row<Row>(statement: Sql): Promise<Row | undefined>;
  /** The first column of the first row. */
  value<Value>(statement: Sql): Promise<Value | undefined>;
  /** The first column of every row. */
  values<Value>(statement: Sql): Promise<Value[]>;
  /** Whether it gives a row. */
  any(statement: Sql): Promise<boolean>;
  /** The statement's `json` columns. */
  jsons(statement: Sql): Promise<Json[]>;
  json(statement: Sql): Promise<Json | undefined>;
  /** Runs `work` in one transaction; after a deadlock it runs again, so it must only touch the database. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /** Runs when the transaction has been committed; `transaction` returns when it is done. */
  afterCommit(work: () => void | Promise<void>): void;
  /** The same row looked up by many requests of one moment is one statement: see `point-reads.ts`. */
  lookup(read: PointRead, key: unknown): Promise<Json | undefined>;
  /** Tells every node what to look at, once what was written is committed: see `fan-out.ts`. */
  tell(topic: string, key: number | string): void;
  /** As `tell`, within a transaction, which returns when every node has done what it does on hearing it. */
  tellAll(topic: string, key: number | string): void;
}

export interface TransactionOptions {
  /** All statements see the database as it was at the first one (repeatable read). */
  snapshot?: boolean;
}

export interface Db {
  /** Every statement carries this organisation as `$1`, and what changes something its origin. */
  inOrganisation(organisation_id: number, origin?: Origin): Tx;
  /** The same for statements whose plan must be by index, whatever the statistics say, and the same for every value. */
  byIndex(organisation_id: number): Tx;
  /** Directory of organisations, migrations and health only: statements that belong to no organisation. */
  installation: { rows<Row>(text: string, values?: unknown[]): Promise<Row[]> };
  /** A connection of its own, for COPY and LISTEN. The caller releases it. */
  connect(): Promise<pg.PoolClient>;
  /** Nodes that serve requests on this database. */
  nodes(): Promise<string[]>;
  /** Connects ahead of the first request. */
  warmUp(): Promise<void>;
  /** Statements sent so far, for tests that promise a count. */
  readonly statements: { count: number };
  close(): Promise<void>;
}

const INT8 = 20;
// The type list of the package knows no arrays.
const INT8_ARRAY = 1016 as never;
const INT4_ARRAY = 1007 as never;
const JSON_TEXT = 114;
pg.types.setTypeParser(INT8, Number);
pg.types.setTypeParser(INT8_ARRAY, pg.types.getTypeParser(INT4_ARRAY));
pg.types.setTypeParser(JSON_TEXT, (text: string) => text);

export interface DbOptions {
  url: string;
  clock: Clock;
  connections: number;
  onIdleError: (error: Error) => void;
  /** What addresses of files are signed with, which the database does not keep: 64 hexadecimal digits. */
  fileKey?: string;
  /** What the audit calls changes without an origin; a node by default. */
  program?: string;
  /** Commands tell nobody: nodes find what they were not told. */
  fanOut?: Pick<FanOut, 'node' | 'tell' | 'tellAll'>;
}

/** Its connections say which node a process is, so that whoever asks the database knows all that are alive. */
const NODE = 'atrium node ';
/** Nodes that read what is sealed begin their names so; those of the version before do not. */
export const SEALING_NODE = 's-';
/** Condition: no node of the version before runs, so that what it reads may be sealed. */
export const everyNodeReadsSealed = trusted(`not exists (
  select from pg_stat_activity
  where datname = current_database() and starts_with(application_name, '${NODE}')
    and not starts_with(application_name, '${NODE}${SEALING_NODE}'))`);

export function openDb({ url, clock, connections, onIdleError, fileKey, fanOut, program = 'atrium' }: DbOptions): Db {
  const options = [
    ...['timezone=UTC', 'statement_timeout=60s', 'idle_in_transaction_session_timeout=60s', 'jit=off'],
    ...(fileKey === undefined ? [] : [`atrium.file_key=${fileKey}`]),
  ]
    .map((setting) => `-c ${setting}`)
    .join(' ');
  const application_name = fanOut ? NODE + fanOut.node : program;
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    options,
    connectionTimeoutMillis: 10_000,
    application_name,
    onConnect: prepareOrigin,
  });
  // Point reads have plans that cannot differ; two connections are the two batches that may be in flight.
  const pointPool = new pg.Pool({
    connectionString: url,
    max: BATCHES_IN_FLIGHT,
    application_name,
    options: `${options} -c plan_cache_mode=force_generic_plan`,
  });
  const indexPool = new pg.Pool({
    connectionString: url,
    max: Math.max(2, Math.floor(connections / 2)),
    connectionTimeoutMillis: 10_000,
    application_name,
    options: `${options} -c plan_cache_mode=force_generic_plan -c enable_seqscan=off`,
  });
  for (const each of [pool, pointPool, indexPool]) {
    each.on('error', onIdleError);
    // Lost between two statements of its holder: the next one fails. Unheard, the event would end the process.
    each.on('connect', (client) => client.on('error', () => {}));
  }
  const statements = { count: 0 };
  const batches = createBatches(pointPool, statements);

  const txOn = (
    runner: pg.Pool | pg.PoolClient,
    organisation_id: number,
    origin?: Origin,
    committed?: AfterCommit,
  ): Tx => {
    const run = async <Row>(statement: Sql) => {
      const { values, ...asked } = prepared(statement);
      const query = { ...asked, values: [organisation_id, ...values] };
      statements.count++;
      // A transaction has its origin from its beginning.
      if (committed || !origin || !mayChange(asked)) return (await runner.query(query)).rows as Row[];
      return (await pool.query<Row & pg.QueryResultRow>(new Originated(query, origin()) as never)).rows as Row[];
    };
    const tx: Tx = {
      organisation_id,
      now: clock.now,
      rows: run,
      row: async <Row>(statement: Sql) => (await run<Row>(statement))[0],
      value: async <Value>(statement: Sql) => firstOf<Value>((await run<object>(statement))[0]),
      values: async <Value>(statement: Sql) =>
        (await run<object>(statement)).map((row) => firstOf<Value>(row) as Value),
      any: async (statement) => (await run(statement)).length > 0,
      jsons: async (statement) => (await run<{ json: Json }>(statement)).map((row) => row.json),
      json: async (statement) => (await run<{ json: Json }>(statement))[0]?.json,
      transaction: (work, options) =>
        committed
          ? work(tx)
          : transact(pool, (client, after) => work(txOn(client, organisation_id, origin, after)), origin, options),
      afterCommit: (work) => void (committed ? committed.push(work) : work()),
      lookup: (read, key) =>
        committed
          ? batches.lookupOn(runner as pg.PoolClient, organisation_id, read, key)
          : batches.lookup(organisation_id, read, key),
      tell(topic, key) {
        const hint = { organisation_id, topic, key: String(key) };
        tx.afterCommit(() => fanOut?.tell(hint));
      },
      tellAll(topic, key) {
        const hint = { organisation_id, topic, key: String(key) };
        tx.afterCommit(() => fanOut?.tellAll(hint));
      },
    };
    return tx;
  };

  return {
    inOrganisation: (organisation_id, origin) => txOn(pool, organisation_id, origin),
    byIndex: (organisation_id) => txOn(indexPool, organisation_id),
    installation: {
      rows: async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[],
    },
    connect: () => pool.connect(),
    nodes: async () =>
      (
        await pool.query<{ node: string }>(
          `select distinct substr(application_name, length($1) + 1) as node from pg_stat_activity
           where datname = current_database() and starts_with(application_name, $1)`,
          [NODE],
        )
      ).rows.map(({ node }) => node),
    warmUp: async () => {
      for (const client of await Promise.all([pool.connect(), pointPool.connect()])) client.release();
    },
    statements,
    close: async () => {
      await Promise.all([pool.end(), pointPool.end(), indexPool.end()]);
    },
  };
}

const firstOf = <Value>(row: object | undefined) => row && (Object.values(row)[0] as Value);

type AfterCommit = (() => void | Promise<void>)[];
const RETRYABLE = new Set(['40001', '40P01']);

async function transact<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, committed: AfterCommit) => Promise<Result>,
  origin: Origin | undefined,
  options: TransactionOptions = {},
  attempt = 1,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const committed: AfterCommit = [];
  let done: { result: Result } | undefined;
  try {
    await client.query(startedBy(origin, options.snapshot ? 'begin isolation level repeatable read' : 'begin'));
    done = { result: await work(client, committed) };
    await client.query('commit');
  } catch (error) {
    done = undefined;
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    if (!RETRYABLE.has((error as pg.DatabaseError).code ?? '') || attempt === 3) throw error;
  } finally {
    client.release(broken);
  }
  if (done) {
    // The connection is free while others are waited for.
    await Promise.all(committed.map((each) => each()));
    return done.result;
  }
  return transact(pool, work, origin, options, attempt + 1);
}

// Who asked for a change and how, for the triggers of the audit: a setting of the transaction, `atrium.origin`. It is
// sent in front of a statement, in the same packet, so it costs no round trip; without it a trigger takes the name of
// the connected program.
import pg from 'pg';

/** JSON text; asked for when the first statement is sent that may change something. */
export type Origin = () => string;
/** Changes that leave no entry: filling a database with made-up contents. */
export const unaudited: Origin = () => 'none';

export const startedBy = (origin: Origin | undefined, begin: string) =>
  origin ? `${begin};set local atrium.origin = ${pg.escapeLiteral(origin())}` : begin;

const CHANGES = /\b(insert into|update \w|delete from)/;
const known = new Map<string, boolean>();
/** Whether a statement of this text may change something. */
export function mayChange({ name, text }: { name?: string; text: string }): boolean {
  if (name === undefined) return CHANGES.test(text);
  const may = known.get(name) ?? CHANGES.test(text);
  known.set(name, may);
  return may;
}

interface Connection {
  bind(portal: { portal: string; statement: string; values: unknown[] }): void;
  execute(portal: { portal: string; rows: number }): void;
}
interface Driver {
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
const Query = pg.Query as unknown as new (config: object) => Driver & pg.Submittable;

const STATEMENT = 'atrium_origin';
/** A connection knows it before its first statement. */
export async function prepareOrigin(client: pg.ClientBase) {
  await client.query({ name: STATEMENT, text: `select set_config('atrium.origin', $1, true)`, values: [''] });
}

/** Both are one implicit transaction: what the first sets ends with the second. */
export class Originated extends Query {
  readonly #origin: string;
  #isSet = false;

  constructor(statement: object, origin: string) {
    super(statement);
    this.#origin = origin;
  }
  override prepare(connection: Connection) {
    connection.bind({ portal: '', statement: STATEMENT, values: [this.#origin] });
    connection.execute({ portal: '', rows: 0 });
    super.prepare(connection);
  }
  override handleDataRow(message: unknown) {
    if (this.#isSet) super.handleDataRow(message);
  }
  override handleCommandComplete(message: unknown, connection: Connection) {
    if (this.#isSet) super.handleCommandComplete(message, connection);
    this.#isSet = true;
  }
}

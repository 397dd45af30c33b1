import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import type { Db, Tx } from '../kernel/data/db.ts';
import { listOrganisations, type OrganisationRow } from '../modules/organisations/queries.ts';

export interface Option {
  readonly about: string;
  /** What stands for the value in the usage text; omitted: the option has none. */
  readonly value?: string;
  readonly required?: true;
}
export const needed = (value: string, about: string): Option => ({ value, about, required: true });
export const org = needed('ID', 'The organisation’s id: see `atrium org list`.');

export interface Command {
  /** One or two words: `org create`. */
  readonly words: string;
  /** Name of the positional argument, which is required where there is one. */
  readonly argument?: string;
  readonly about: string;
  readonly options?: Readonly<Record<string, Option>>;
  run(call: Call): Promise<Outcome>;
}

/** What a command is given. */
export interface Call {
  readonly argument: string;
  /** Value of an option; undefined: it is not given. */
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
  readonly config: Config;
  readonly clock: Clock;
  /** The command prints one JSON object, so it shows no progress. */
  readonly json: boolean;
  /** Opened once, closed after the command. `as it is`: whatever migrations it has. */
  db(schema?: 'migrated' | 'as it is'): Promise<Db>;
  /** The embedded database runs for this command alone, and no other command gets at it meanwhile. */
  isAlone(): boolean;
}

export interface Outcome {
  readonly json: object;
  readonly text: string;
  /** The command ran, but what it found is wrong: exit code 1. */
  readonly failed?: boolean;
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {}

export function readId(text: string | undefined, name: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text ?? '')) throw new UsageError(`${name} must be an id, a positive integer.`);
  return Number(text);
}
export function readCount(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${name} must be a number from 0 to 999999999.`);
  return Number(text);
}
export function readName(text: string | undefined, name: string): string {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '' || trimmed.length > 255) throw new UsageError(`${name} must have 1 to 255 characters.`);
  return trimmed;
}
/** Words with commas between them. */
export const readList = (text = ''): string[] => text.split(',').map((word) => word.trim());

export async function organisationOf(call: Call): Promise<{ db: Db; tx: Tx; organisation: OrganisationRow }> {
  const id = readId(call.text('org'), '--org');
  const db = await call.db();
  const organisation = (await listOrganisations(db)).find((one) => one.id === id);
  if (!organisation) throw new Error(`There is no organisation ${id}. \`atrium org list\` shows which there are.`);
  return { db, tx: db.inOrganisation(id), organisation };
}

/** Names and values in two columns. */
export function table(values: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  const lines = Object.entries(values).map(([name, value]) => `${name.padEnd(width)}  ${value}\n`);
  return lines.join('');
}

// `npx atrium <command>`: administration from a shell, whether or not a server runs.
import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { auditCommands } from './cli/audit.ts';
import { type Call, type Command, type Outcome, UsageError } from './cli/command.ts';
import { doctorCommand } from './cli/doctor.ts';
import { keyCommands } from './cli/keys.ts';
import { organisationCommands } from './cli/organisations.ts';
import { peopleCommands } from './cli/people.ts';
import { requestCommands } from './cli/requests.ts';
import { searchCommands } from './cli/search.ts';
import { upkeepCommands } from './cli/upkeep.ts';
import { webhookCommands } from './cli/webhooks.ts';
import { createClock } from './kernel/clock.ts';
import { readConfig } from './kernel/config.ts';
import { type Db, openDb } from './kernel/data/db.ts';
import { migrate, pendingMigrations } from './kernel/data/migrate.ts';
import { createSealing, FILE_KEY } from './kernel/people/sealing.ts';
import { PRIVATE_UMASK } from './postgres/data-permissions.ts';
import { borrowDatabase, type OpenDatabase } from './postgres/database.ts';

process.umask(PRIVATE_UMASK);

const commands: readonly Command[] = [
  ...organisationCommands,
  ...keyCommands,
  ...peopleCommands,
  ...searchCommands,
  ...upkeepCommands,
  ...webhookCommands,
  ...requestCommands,
  ...auditCommands,
  doctorCommand,
];

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const json = process.argv.includes('--json');
const argv = process.argv.slice(2).filter((word) => word !== '--json');
try {
  const { json: object, text, failed } = await run();
  process.stdout.write(json ? `${JSON.stringify(object)}\n` : text);
  process.exitCode = failed ? 1 : 0;
} catch (error) {
  const sentence = sentenceOf(error as Error & { constraint?: string });
  if (json) process.stdout.write(`${JSON.stringify({ error: sentence })}\n`);
  else
    process.stderr.write(`${sentence}\n${error instanceof UsageError ? '`atrium --help` shows every command.\n' : ''}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function run(): Promise<Outcome> {
  if (argv[0] === '--version' || argv[0] === '-v') return { json: { version }, text: `${version}\n` };
  const isHelp = argv.includes('--help') || argv.includes('-h') || argv[0] === 'help';
  const asked = argv[0] === 'help' ? argv.slice(1) : argv;
  const command = commands.find(({ words }) => words === asked.slice(0, words.split(' ').length).join(' '));
  const group = commands.filter(({ words }) => words.startsWith(`${asked[0]} `));
  if (isHelp || (!command && asked.length === 1 && group.length > 0)) {
    const text = usage(command ? [command] : group.length > 0 ? group : commands);
    return { json: { usage: text }, text };
  }
  if (!command)
    throw new UsageError(argv.length === 0 ? 'Which command?' : `There is no command "${argv.slice(0, 2).join(' ')}".`);
  const { values, positionals } = parsed(command);
  const [argument = '', ...more] = positionals;
  if (more.length > 0 || (argument !== '' && !command.argument))
    throw new UsageError(`"${more[0] ?? argument}" is one word too many.`);
  if (command.argument && argument === '') throw new UsageError(`\`${command.words}\` needs <${command.argument}>.`);
  for (const [name, { required }] of Object.entries(command.options ?? {}))
    if (required && values[name] === undefined) throw new UsageError(`\`${command.words}\` needs --${name}.`);

  const config = readConfig(process.env);
  const clock = createClock();
  let opened: { database: OpenDatabase; db: Db } | undefined;
  const call: Call = {
    argument,
    text: (option) => values[option] as string | undefined,
    flag: (option) => values[option] === true,
    config,
    clock,
    json,
    async db(schema = 'migrated') {
      if (!opened) {
        const database = await borrowDatabase(config, `atrium ${command.words}`);
        const { connections } = config;
        const fileKey = createSealing(config).keyFor(FILE_KEY);
        const program = `atrium ${command.words}`;
        const parts = { url: database.url, clock, connections, fileKey, program };
        opened = { database, db: openDb({ ...parts, onIdleError: () => {} }) };
        if (schema === 'migrated') await bringUpToDate(opened.db, database);
      }
      return opened.db;
    },
    isAlone: () => opened?.database.embedded !== undefined,
  };
  try {
    return await command.run(call);
  } finally {
    await opened?.db.close();
    await opened?.database.close();
  }
}

function parsed(command: Command) {
  const options: ParseArgsConfig['options'] = {};
  for (const [name, { value }] of Object.entries(command.options ?? {}))
    options[name] = { type: value ? 'string' : 'boolean' };
  try {
    return parseArgs({ args: argv.slice(command.words.split(' ').length), options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]?.replace(/\.$/, '')}.`);
  }
}

/**
 * Its own embedded database is brought forward, as a start of the server would.
 * A shared one is its operator's decision.
 */
async function bringUpToDate(db: Db, database: OpenDatabase) {
  if (database.embedded) return void (await migrate(db));
  const { length } = await pendingMigrations(db);
  if (length > 0) throw new Error(`${length} migrations are pending on this database. Run \`atrium migrate\` first.`);
}

/** `users__email_key` -> "This email is taken already." */
function sentenceOf({ message, constraint = '' }: Error & { constraint?: string }): string {
  const taken = /^[a-z_]+?__([a-z_]+)_key$/.exec(constraint)?.[1];
  return taken ? `This ${taken.replaceAll('_', ' ')} is taken already.` : message;
}

function usage(shown: readonly Command[]): string {
  const synopsis = ({ words, argument, options = {} }: Command) => {
    const named = Object.entries(options).map(([name, { value, required }]) => {
      const text = `--${name}${value ? ` ${value}` : ''}`;
      return required ? text : `[${text}]`;
    });
    return [`atrium ${words}`, ...(argument ? [`<${argument}>`] : []), ...named].join(' ');
  };
  const details = ({ options = {} }: Command) =>
    Object.entries(options).map(([name, { about }]) => `      --${name.padEnd(12)} ${about}\n`);
  const entries = shown.map((command) => {
    const more = shown.length === 1 ? details(command).join('') : '';
    return `  ${synopsis(command)}\n      ${command.about}.\n${more}`;
  });
  return `Usage: atrium <command> [--json], atrium --version

${entries.join('\n')}
With --json a command prints one JSON object and nothing else. Exit codes: 0 done, 1 failed, 2 wrong usage.
It works on DATABASE_URL where that is set, else on the data folder ATRIUM_DATA (${readConfig(process.env).data_dir}).
`;
}

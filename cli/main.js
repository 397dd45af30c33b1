// `atrium`: the interface from a shell, over HTTP. Commands of operators, which work on the database of the machine that
// Atrium runs on, are handed to the server where it is installed.
import { AtriumError } from '@atrium/sdk';
import { auditCommands } from './audit.js';
import { callCommand, operationsCommand } from './call.js';
import { configureCommand } from './configure.js';
import { connectionFlags, readConnection } from './connection.js';
import { changesCommand, listCommand } from './lists.js';
import { operatorCommand } from './operators.js';
import { endings, UsageError, write } from './terminal.js';
import { uploadCommand } from './upload.js';
import { webhookCommands } from './webhooks.js';

const commands = [
  callCommand,
  operationsCommand,
  listCommand,
  changesCommand,
  uploadCommand,
  ...webhookCommands,
  ...auditCommands,
  configureCommand,
];

/** The exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export async function main(argv) {
  const { signal, code } = endings();
  try {
    const { given, rest } = connectionFlags(argv);
    const isHelp = ['--help', '-h', 'help', undefined].includes(rest[0]);
    const command = commands.find(({ words }) => words === rest.slice(0, words.split(' ').length).join(' '));
    if (isHelp) return await write(usage());
    if (!command) return await operatorCommand(argv);
    const args = rest.slice(command.words.split(' ').length);
    if (command.help && (args.includes('--help') || args.includes('-h'))) return await write(command.help(args));
    return (await command.run({ args, signal, given, connect: () => readConnection(given) })) ?? 0;
  } catch (error) {
    if (signal.aborted) return code();
    return say(error);
  }
}

function say(error) {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\`atrium --help\` shows every command.\n`);
    return 2;
  }
  if (!(error instanceof AtriumError)) throw error;
  const { operation, status, code, message, errors, request_id, isUncertain } = error;
  const fields = errors.filter(({ path }) => typeof path === 'string').map((one) => `  ${one.path} ${one.message}\n`);
  process.stderr.write(
    `${operation}: ${status || ''} ${code}: ${message}\n${fields.join('')}${request_id ? `  request ${request_id}\n` : ''}` +
      (isUncertain ? '  It may have happened: look before you repeat it.\n' : ''),
  );
  return 1;
}

const usage = () => `Usage: atrium [--url URL] [--service-id ID] [--key KEY] [--profile NAME] <command>

${commands.map(({ synopsis, about }) => `  atrium ${synopsis}\n      ${about}\n`).join('\n')}
The connection comes from these options, from ATRIUM_URL, ATRIUM_SERVICE_ID, ATRIUM_API_KEY and ATRIUM_PROFILE, or from the file that
\`atrium configure\` writes. Other users of the machine see options: leave --key to scripts that nobody else runs beside.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage.

Where Atrium itself is installed, all other commands are those of its operators: \`atrium org --help\`, \`atrium doctor\` and so on.
`;

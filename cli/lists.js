import { changes, each } from '@atrium/sdk';
import { helpOf } from './call.js';
import { operationNamed, parsed, requestFrom } from './fields.js';
import { UsageError, writeLine } from './terminal.js';

export const listCommand = {
  words: 'list',
  synopsis: 'list <operation> [--<filter> <value> …] [--limit N]',
  about: 'Every row of a list, a line of JSON each: `atrium list listPages --space_id 3`.',
  help: ([operation]) => helpOf(operation),
  async run({ args: [name, ...args], signal, connect }) {
    const operation = operationNamed(name);
    if (!operation.list) throw new UsageError(`${name} is no list: \`atrium call ${name}\`.`);
    const { limit, rest } = limitOf(args);
    let rows = 0;
    if (limit === 0) return 0;
    for await (const row of each(connect()[name], await requestFrom(operation, rest), { signal })) {
      await writeLine(row);
      if (++rows === limit) break;
    }
  },
};

function limitOf(args) {
  const at = args.findIndex((arg) => arg === '--limit' || arg.startsWith('--limit='));
  if (at < 0) return { rest: args };
  const [flag, value = args[at + 1]] = args[at].split('=');
  if (!/^\d{1,9}$/.test(value ?? '')) throw new UsageError('--limit must be a number.');
  return { limit: Number(value), rest: args.toSpliced(at, args[at] === flag ? 2 : 1) };
}

export const changesCommand = {
  words: 'changes',
  synopsis: 'changes [--types page,article] [--after N] [--follow]',
  about: 'What changed, a line of JSON each; with --follow until Ctrl-C. The last `sequence` is the next --after.',
  async run({ args, signal, connect }) {
    const text = { type: 'string' };
    const { follow, types, after } = parsed(args, { follow: { type: 'boolean' }, types: text, after: text }).values;
    if (after !== undefined && !/^\d{1,16}$/.test(after)) throw new UsageError('--after must be a sequence.');
    const request = { follow, types: types?.split(','), after: after === undefined ? undefined : Number(after) };
    for await (const change of changes(connect(), request, { signal })) await writeLine(change);
  },
};

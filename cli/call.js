import { operationNamed, operations, requestFrom } from './fields.js';
import { warn, write, writeJson } from './terminal.js';

export const callCommand = {
  words: 'call',
  synopsis: 'call <operation> [--<field> <value> …] [--json @file]',
  about: 'Any operation of the interface. `atrium call createPage --help` shows what it takes.',
  help: ([operation]) => helpOf(operation),
  async run({ args: [name, ...args], signal, connect }) {
    const operation = operationNamed(name);
    const answer = await connect()[operation.operation](await requestFrom(operation, args), { signal });
    warn(answer?.meta);
    if (typeof answer === 'string') return write(answer);
    // The interface puts some fields beside data.
    const { data, status, meta, ...beside } = answer ?? { data: null };
    return writeJson(data === undefined ? answer : Object.keys(beside).length > 0 ? { ...beside, data } : data);
  },
};

export const operationsCommand = {
  words: 'operations',
  synopsis: 'operations [word]',
  about: 'All operations, or those whose name or path has the word.',
  run: ({ args: [word = ''] }) =>
    write(
      operations
        .filter(({ operation, path }) => `${operation} ${path}`.toLowerCase().includes(word.toLowerCase()))
        .map(({ operation, method, path, summary }) => `${operation}\n    ${summary}: ${method} ${path}\n`)
        .join(''),
    ),
};

export function helpOf(name) {
  const { operation, method, path, summary, description, params, fields, list } = operationNamed(name);
  const taken = new Set(params.map((param) => param.name));
  const lines = [
    ...params,
    ...fields.map((one) => ({ ...one, name: taken.has(one.name) ? `body.${one.name}` : one.name })),
  ];
  const shown = lines.map(
    (one) =>
      `  --${one.name} <${one.values?.join('|') ?? one.type}>${one.required ? '  required' : ''}\n` +
      (one.about ? `      ${one.about}\n` : ''),
  );
  return `${summary}: ${method} ${path}
${description ?? ''}

Usage: atrium ${list ? 'list' : 'call'} ${operation}${shown.length > 0 ? ' [--<field> <value> …] [--json @file]' : ''}

${shown.join('')}${fields.length > 0 ? '  --json <@file, - or text>\n      The body, or what of it no option says.\n' : ''}`;
}

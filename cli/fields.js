// What an operation takes, from the reference of the sdk, and text of a command line as values of it.
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { UsageError } from './terminal.js';

const reference = createRequire(import.meta.url)('@atrium/sdk/reference.json');
export const operations = Object.entries(reference).map(([operation, described]) => ({ operation, ...described }));

export function operationNamed(name) {
  const found = operations.find(({ operation }) => operation === name);
  if (found) return found;
  const like = operations.filter(({ operation }) => operation.toLowerCase().includes(String(name).toLowerCase()));
  const some = like.slice(0, 5).map(({ operation }) => operation);
  const hint = some.length > 0 ? ` Did you mean ${some.join(', ')}?` : ' `atrium operations` lists them.';
  throw new UsageError(
    name ? `There is no operation "${name}".${hint}` : 'Which operation? `atrium operations` lists them.',
  );
}

/** `{ id, …, body }` of `--field value`; a field of the body that a parameter has taken is `--body.field`. */
export async function requestFrom({ operation, params, fields }, args) {
  const taken = new Set(params.map(({ name }) => name));
  const flagged = [
    ...params.map((field) => ({ flag: field.name, field })),
    ...fields.map((field) => ({
      flag: taken.has(field.name) ? `body.${field.name}` : field.name,
      field,
      isBody: true,
    })),
  ];
  const flags = new Map(flagged.map((one) => [one.flag, one]));
  const options = Object.fromEntries(
    [...flags.keys(), 'json'].map((flag) => [flag, { type: 'string', multiple: true }]),
  );
  const { values, positionals } = parsed(
    args.map((arg) => underscored(arg, flags)),
    options,
    operation,
  );
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is one word too many.`);
  const request = {};
  const { json, ...named } = values;
  const body = json ? await jsonOf(json.at(-1)) : {};
  for (const [flag, texts] of Object.entries(named)) {
    const { field, isBody } = flags.get(flag);
    (isBody ? body : request)[field.name] = await typedValue(field, texts, flag);
  }
  for (const { name, required } of params)
    if (required && request[name] === undefined) throw new UsageError(`${operation} needs --${name}.`);
  return fields.length > 0 || json ? { ...request, body } : request;
}

export function parsed(args, options, operation = '') {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const sentence = error.message.split(/[.,] /)[0].replace(/\.$/, '');
    throw new UsageError(`${sentence}.${operation && ` \`atrium call ${operation} --help\` shows what there is.`}`);
  }
}

/** `--space-id` is `--space_id`. */
function underscored(arg, flags) {
  const [flag, ...value] = arg.split('=');
  const name = flag.slice(2).replaceAll('-', '_');
  return flag.startsWith('--') && !flags.has(flag.slice(2)) && flags.has(name)
    ? [`--${name}`, ...value].join('=')
    : arg;
}

/** `@file`, `-` for standard input, or the text itself. */
async function jsonOf(given) {
  const written =
    given === '-' ? await text(process.stdin) : given.startsWith('@') ? await readFile(given.slice(1), 'utf8') : given;
  try {
    return JSON.parse(written);
  } catch {
    throw new UsageError('--json is no JSON.');
  }
}

function typedValue({ type }, texts, flag) {
  if (!type.endsWith('[]')) return single(type, texts.at(-1), flag);
  const of = type.slice(0, -2);
  const separate = of === 'integer' ? texts.flatMap((one) => one.split(',')) : texts;
  return Promise.all(separate.map((one) => single(of, one, flag)));
}

async function single(type, written, flag) {
  if (type === 'string') return written;
  if (type === 'file') {
    const path = written.replace(/^@/, '');
    const content = await openAsBlob(path).catch(() => undefined);
    if (!content) throw new UsageError(`--${flag}: ${path} cannot be read.`);
    return { content, file_name: basename(path) };
  }
  if (type === 'boolean' && /^(true|false|1|0)$/.test(written)) return written === 'true' || written === '1';
  try {
    const value = JSON.parse(written);
    if (type === 'object' || (type === 'integer' ? Number.isInteger(value) : typeof value === type)) return value;
  } catch {}
  throw new UsageError(`--${flag} must be ${type === 'object' ? 'JSON' : `of type ${type}`}.`);
}

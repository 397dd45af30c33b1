// Values that no client should send. Whatever PostgreSQL or a parser says to them is an answer, never a fault of ours.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request } from 'undici';
import type { Endpoint } from './kernel/contract/contract.ts';
import { isOpen } from './kernel/http/body-limits.ts';
import { querySchema } from './kernel/http/routes.ts';
import { routes } from './modules.ts';
import { startAtrium, world } from './testing/atrium.ts';

const atrium = await startAtrium();
const ANSWERED_MS = 30_000;

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };

const texts = ['a\0b', '\ud800', '\u{10ffff}\u202e', 'x'.repeat(10_000), '9223372036854775808', ''];
const moments = [
  ...['0000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '+275760-09-13T00:00:00.000Z', '0001-01-01 BC', 'infinity'],
  ...['9999-12-31T23:59:59.999999-15:59', '2024-02-30T00:00:00Z', '2024-01-01T24:00:00Z', '2024-06-30T23:59:60Z'],
];
const days = ['0000-00-00', '0001-01-01', '9999-12-31', '275760-09-13', '-0044-03-15', 'infinity', '2024-02-30'];
const numbers = ['9223372036854775808', '-9223372036854775809', '-0', '1e400', 'NaN', '1.5', '2147483648', '00', '0x1'];
const deep = (n: number) => '['.repeat(n) + ']'.repeat(n);

/** As they stand in JSON: some cannot be made from values. */
function nasty({ type, format, anyOf, properties, items }: Schema): string[] {
  if (anyOf) return nasty(anyOf[0] ?? {});
  const json = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));
  if (type === 'integer' || type === 'number') return [...numbers.filter((one) => /^-?\d/.test(one)), '"NaN"', '[]'];
  if (type === 'boolean') return ['2', '"maybe"', '{}'];
  if (format === 'date-time') return json([...moments, ...texts.slice(0, 2)]);
  if (format === 'date') return json([...days, '\0']);
  if (type === 'array') return ['{}', deep(60), ...nasty(items ?? {}).map((one) => `[${one},${one}]`)];
  if (type === 'object')
    return [
      deep(3),
      ...Object.entries(properties ?? {}).flatMap(([name, one]) => nasty(one).map((v) => `{"${name}":${v}}`)),
    ];
  return [...json(texts), '"\\ud800"', '1e400', deep(60)];
}

const endpoints = routes.flatMap(({ family }) =>
  Object.entries<Endpoint>(family.endpoints).map(([operation, endpoint]) => ({
    family: family.name,
    operation,
    endpoint,
  })),
);
const headers = {
  authorization: `Bearer ${world.northwind.api_key}`,
  'service-id': String(world.northwind.organisation_id),
};
const problems: string[] = [];
async function send(operation: string, method: string, path: string, type?: string, body?: string | Buffer) {
  const response = await request(atrium.url + path, {
    method: method as 'GET',
    headers: { ...headers, ...(type ? { 'content-type': type } : {}) },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(ANSWERED_MS),
  });
  const answer = await response.body.text();
  requests++;
  const isOurs = response.statusCode >= 500 || answer.includes('cannot be stored');
  if (isOurs) problems.push(`${operation} ${path} ${String(body).slice(0, 300)}: ${response.statusCode} ${answer}`);
}

const written = (path: string, values: Readonly<Record<string, unknown>>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
const rubbish = ['%00', '%ZZ', '%ff', '%ed%a0%80', '9223372036854775808', '-0', '1e3', '%2e%2e%2f', 'x'.repeat(1100)];
const queries = [...texts, ...numbers.slice(0, 5), ...moments.slice(0, 3), 'a[b'].map((text) =>
  encodeURIComponent(text.toWellFormed()),
);

const seen = new Set<string>();
let requests = 0;
async function fuzz(operation: string, { method, path, example, body, ...endpoint }: Endpoint) {
  const plain = written(path, example.params ?? {});
  const at = (n: number) =>
    path.includes('{') ? path.replaceAll(/\{\w+\}/g, rubbish[n % rubbish.length] ?? '') : plain;
  // Whatever the id is of, one reader reads it: each operation meets three of them, in turn.
  for (const n of path.includes('{') ? [0, 3, 6] : []) await send(operation, method, at(n + (requests % 3)));
  const query = querySchema({ ...endpoint, method, path, example }).properties as unknown as Record<string, Schema>;
  const names = Object.keys(query);
  // Several parameters at once: each value meets each parameter over the whole run, and each request names few.
  for (const [n, value] of queries.entries()) {
    const name = names[n % names.length];
    if (name) await send(operation, method, `${plain}?${name}=${value}`);
  }
  const { properties = {} } = (body ?? {}) as Schema;
  if (!body) return;
  const good = Object.fromEntries(
    Object.entries(example.body ?? {}).map(([name, value]) => [name, JSON.stringify(value)]),
  );
  const object = (fields: Record<string, string>) =>
    `{${Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`;
  for (const [name, schema] of Object.entries(properties)) {
    // A column that has met all of them once meets two in every other operation that writes one like it.
    const field = JSON.stringify([name, schema]);
    const values = nasty(schema);
    const few = [values[requests % values.length], values[(requests + 1) % values.length]];
    const met = seen.has(field) ? few.filter((one) => one !== undefined) : values;
    seen.add(field);
    for (const value of met)
      await send(operation, method, plain, 'application/json', object({ ...good, [name]: value }));
  }
  const [first = 'a'] = Object.keys(properties);
  for (const text of [
    'null',
    '[]',
    '"a"',
    '{',
    `{"${first}":1,"${first}":"\\u0000"}`,
    deep(70),
    '{"__proto__":{"a":1}}',
  ])
    await send(operation, method, plain, 'application/json', text);
  await send(
    operation,
    method,
    plain,
    'application/x-www-form-urlencoded',
    `${first}=%00&${first}[=%ff&[]=1&${first}[a][0]=x`,
  );
  await send(operation, method, plain, 'multipart/form-data; boundary=x', `--x\r\n\r\n\0\r\n--x--`);
  await send(operation, method, plain, 'application/json; charset=utf-16', Buffer.from('{"a":1}', 'utf16le'));
}

describe('no value is a fault of the server, and none keeps it busy', () => {
  for (const [family, own] of Map.groupBy(endpoints, ({ family }) => family)) {
    test(family, async () => {
      for (const { operation, endpoint } of own)
        if (!endpoint.actors && !isOpen(endpoint) && !endpoint.path.includes('/by-external-id/'))
          await fuzz(operation, endpoint);
      assert.deepEqual(problems.splice(0), []);
    });
  }
});

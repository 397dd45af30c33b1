// Requests put together at random from everything that the grammar, the schemas and providers know: whatever comes, the
// answer is one of RFC 7644 and never a fault of ours. A failure prints its seed; ATRIUM_SEED repeats it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';
import { scimOf } from '../../testing/scim.ts';
import { schemas } from './schemas.ts';

const ROUNDS = Number(process.env.ATRIUM_TEST_FUZZ ?? 600);
const seed = Number(process.env.ATRIUM_SEED ?? 1 + Math.floor(Math.random() * 1_000_000));
const { next, pick, chance } = randomOf(seed);
const atrium = await startAtrium();
const scim = scimOf(atrium);
const { body: person } = await scim('POST', '/Users', { body: { userName: 'fuzz@northwind.example' } });
const { body: group } = await scim('POST', '/Groups', {
  body: { displayName: 'Fuzz', members: [{ value: person.id }] },
});

const names = schemas.flatMap(({ id, attributes }) =>
  attributes.flatMap(({ name, subAttributes = [] }) => [
    name,
    `${id}:${name}`,
    ...subAttributes.map((sub) => `${name}.${sub.name}`),
  ]),
);
const odd = [
  'id',
  'meta',
  'meta.created',
  'schemas',
  'externalId',
  'unheard',
  'urn:x:y:User',
  'urn:x:y:User:tax_Shift',
  'a.b.c',
  '$ref',
  '',
  '.',
  'members[',
  '1',
  'constructor',
  'urn:x:y:User:tax_constructor',
  'urn:x:y:User:__proto__',
  '__proto__',
  'toString.value',
];
const several = <T>(make: () => T, most: number): T[] => Array.from({ length: Math.floor(next() * (most + 1)) }, make);
const text = () =>
  pick([
    '',
    'x',
    'True',
    'false',
    '1',
    '999999999999999999999',
    person.id,
    'a@b.example',
    '2020-02-30',
    '2020-01-01T00:00:00Z',
    '"',
    '\\',
    '%',
    "'; --",
    '\0',
    '\ud800',
    '🦊'.repeat(300),
    'bulkId:q',
  ]);
const value = (depth = 0): unknown => {
  if (depth > 2 || chance(0.5)) return pick([text(), text(), true, false, null, 0, -1, 1.5, 1e300]);
  if (chance(0.5)) return several(() => value(depth + 1), 3);
  return Object.fromEntries(
    several(
      () => [pick([...names, ...odd, 'value', 'type', 'primary', 'display', '$ref', 'locality']), value(depth + 1)],
      4,
    ),
  );
};
const attribute = () => (chance(0.8) ? pick(names) : pick(odd));
const literal = () => pick([JSON.stringify(text()), 'true', 'FALSE', 'null', '12', '-1.5e3', 'x', '"open']);
const filter = (depth = 0): string => {
  if (depth > 3 || chance(0.5))
    return chance(0.2)
      ? `${attribute()} pr`
      : `${attribute()} ${pick(['eq', 'NE', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'Le', 'like'])} ${literal()}`;
  return pick([
    () => `${filter(depth + 1)} ${pick(['and', 'OR'])} ${filter(depth + 1)}`,
    () => `not (${filter(depth + 1)})`,
    () => `(${filter(depth + 1)})`,
    () => `${attribute()}[${filter(depth + 1)}]${chance(0.3) ? `.value eq ${literal()}` : ''}`,
  ])();
};
const path = () =>
  pick([
    attribute,
    attribute,
    () => `${attribute()}[${filter(2)}]`,
    () => `${attribute()}[${filter(2)}].${pick(['value', 'type', 'primary', 'x'])}`,
  ])();
const operation = () => ({
  op: pick(['add', 'Replace', 'REMOVE', 'move']),
  ...(chance(0.8) ? { path: path() } : {}),
  ...(chance(0.9) ? { value: value() } : {}),
});
const patchBody = () => (chance(0.9) ? { Operations: several(operation, 4) } : value());
const query = () => ({
  ...(chance(0.8) ? { filter: filter() } : {}),
  ...(chance(0.4) ? { sortBy: attribute() } : {}),
  ...(chance(0.3) ? { sortOrder: pick(['ascending', 'descending', 'up']) } : {}),
  ...(chance(0.3) ? { attributes: several(attribute, 3) } : {}),
  ...(chance(0.2) ? { excludedAttributes: attribute() } : {}),
  startIndex: pick([1, 0, -5, 3, 1e15, 'x']),
  count: pick([0, 1, 2, 1000, -1, '3']),
});
const requests = [
  () => ['POST', '/Users', value()],
  () => ['POST', '/Users', { userName: 'other.fuzz@northwind.example', ...(value() as object) }],
  () => ['PUT', `/Users/${person.id}`, { userName: 'fuzz@northwind.example', ...(value() as object) }],
  () => ['PATCH', `/Users/${person.id}`, patchBody()],
  () => ['PATCH', `/Users/${person.id}`, patchBody()],
  () => ['PATCH', `/Groups/${group.id}`, patchBody()],
  () => ['PUT', `/Groups/${group.id}`, { displayName: 'Fuzz', ...(value() as object) }],
  () => ['POST', `${pick(['/Users', '/Groups', ''])}/.search`, query()],
  () => ['POST', `${pick(['/Users', '/Groups', ''])}/.search`, query()],
  () => [
    'POST',
    '/Bulk',
    {
      failOnErrors: value(),
      Operations: several(
        () => ({
          method: pick(['POST', 'patch', 'PUT', 'GET', '']),
          path: pick(['/Users', '/Groups', `/Users/${person.id}`, '/Users/bulkId:q', '/x', '']),
          bulkId: pick(['q', 'r', '']),
          data: value(),
        }),
        4,
      ),
    },
  ],
] as (() => [method: string, path: string, body: unknown])[];

test(`${ROUNDS} requests of seed ${seed}: no answer is a 500, every refusal is one of RFC 7644`, {
  timeout: 60_000 + ROUNDS * 100,
}, async () => {
  const statuses = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const [method, to, body] = pick(requests)();
    const reply = await scim(method, to, { body });
    const answer = `${reply.status} ${JSON.stringify(reply.body)}`;
    const what = `seed ${seed}, round ${round}: ${method} ${to} ${JSON.stringify(body)} → ${answer}`;
    assert.ok(reply.status < 500, what);
    if (reply.status >= 400)
      assert.deepEqual(
        [reply.body.schemas, reply.body.status],
        [['urn:ietf:params:scim:api:messages:2.0:Error'], String(reply.status)],
        what,
      );
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    for (const [kind, id] of [
      ['Users', person.id],
      ['Groups', group.id],
    ])
      assert.equal((await scim('GET', `/${kind}/${id}`)).status, 200, what);
  }
  assert.ok(
    (statuses.get(200) ?? 0) > ROUNDS / 20 && (statuses.get(400) ?? 0) > ROUNDS / 20,
    JSON.stringify([...statuses]),
  );
});

// A story of random actions, told to Atrium and to a plain model of the rules. By hand, at any size:
//
//   ATRIUM_STORY=10000,200,20,7 npm test -- notifications/story        actions, people, kills, seed
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { startAtrium } from '../../testing/atrium.ts';
import { endAllAfterTests, run } from '../../testing/processes.ts';
import { randomOf } from '../../testing/random.ts';
import { type Comment, type Content, type Level, Model, type Person, type Space } from './model.ts';

const [ACTIONS = 0, PEOPLE = 0, KILLS = 0, SEED = 0] = (process.env.ATRIUM_STORY ?? '100,10,1,7')
  .split(',')
  .map(Number);
const SETTLED_EVERY = Math.ceil(ACTIONS / (KILLS + 1));
const SPACES = Math.max(4, Math.floor(PEOPLE / 10));

endAllAfterTests();
const atrium = await startAtrium();
const { next, pick, chance } = randomOf(SEED);
const model = new Model();
// What Northwind's people have to hear.
await atrium.drain();
await atrium.drain();

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'story', alg: 'EdDSA', use: 'sig' }] };
await atrium.call('PUT', '/v1/admin/apps/1/jwt-settings', { json: { jwks, scopes: ['*'] } });
/** As the person: by a user JWT. */
async function as(person: Person, method: string, path: string, json?: object) {
  const claims = { iss: '1', sub: String(person.id), exp: Math.floor(Date.now() / 1000) + 300 };
  const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);
  const headers = { 'x-service-jwt': jwt, 'x-service-jwt-keyid': 'story' };
  return ok(await atrium.call(method, path, { key: null, headers, ...(json ? { json } : {}) }), method, path);
}
/** In somebody's name: by a key. */
const call = async (method: string, path: string, json?: object) =>
  ok(await atrium.call(method, path, json ? { json } : {}), method, path);
function ok({ status, body }: { status: number; body: { data: never } }, ...what: string[]) {
  assert.ok(status < 300, `${what.join(' ')}: ${JSON.stringify(body)}`);
  return body.data as { id: number } & Record<string, never>;
}

/** Until nothing is left to tell; `isKilled`: a node dies on the way. */
async function settle(isKilled: boolean) {
  if (isKilled) {
    const env = {
      ...{ ATRIUM_ENV: 'test', DATABASE_URL: atrium.database_url, ATRIUM_DATA: atrium.services.config.data_dir },
      ATRIUM_SECRET_KEY: process.env.ATRIUM_TEST_SECRET_KEY ?? '',
    };
    const node = run([join(import.meta.dirname, '../../testing/background.ts')], { env });
    const most = Math.floor(next() * (await waiting()));
    await node.printed(/working/);
    while ((await waiting()) > most);
    node.kill('SIGKILL');
    await node.exit;
    killed_with.push(await waiting());
  }
  await atrium.drain();
  await atrium.drain();
  assert.equal(await waiting(), 0);
  model.settle();
}
const killed_with: number[] = [];
const waiting = async () => Number((await atrium.rows<{ n: number }>('select count(*) as n from notices'))[0]?.n);

// ---- What happens --------------------------------------------------------------------------------------------------

const active = () => pick(model.people.filter(({ isActive }) => isActive));
const some = (most: number) => [...new Set(Array.from({ length: Math.floor(next() * (most + 1)) }, active))];
const there = () => pick(model.contents.filter(({ isGone }) => !isGone));
const named = (people: readonly Person[]) =>
  `<p>x${people.map(({ id }) => `<a data-user-id="${id}" href="/x">@x</a>`).join('')}</p>`;
const ids = (things: readonly { id: number }[]) => things.map(({ id }) => id);

/** Of the content as it is now; who is in it already is not mentioned anew. */
const mentions = new Map<Content, readonly Person[]>();
async function post(type: 'update' | 'kudos') {
  const [author, mentioned, isMustRead] = [active(), some(2), chance(0.1)];
  const spaces = chance(0.3) ? [] : [...new Set([pick(model.spaces), pick(model.spaces)])];
  const thanked = type === 'kudos' ? [active(), ...some(2)] : [];
  const audience = spaces.length > 0 ? { type: 'spaces', spaces: ids(spaces) } : { type: 'Global' };
  const { id } = await call('POST', type === 'kudos' ? '/v1/kudos' : '/v1/updates', {
    ...{ user_id: author.id, html: named(mentioned), audience, requires_acknowledgement: isMustRead },
    ...(type === 'kudos' ? { recipients: { users: ids(thanked) } } : {}),
  });
  const more = { version: 1, confirmed: new Set<Person>(), comments: [], isGone: false };
  const content = { type, id, author, spaces, isMustRead, thanked, mentioned: new Set(mentioned), ...more };
  mentions.set(content, mentioned);
  model.contents.push(content);
  model.contentChanged(content);
}
async function edit() {
  const [content, mentioned] = [there(), some(2)];
  if (content.type === 'kudos') return;
  const former = new Set(mentions.get(content));
  const json = { html: `${named(mentioned)}${content.version}`, requires_acknowledgement: content.isMustRead };
  await call('PUT', `/v1/updates/${content.id}`, json);
  content.version++;
  content.confirmed.clear();
  for (const person of [...content.mentioned]) if (!mentioned.includes(person)) content.mentioned.delete(person);
  for (const person of mentioned) if (!former.has(person)) content.mentioned.add(person);
  mentions.set(content, mentioned);
  model.contentChanged(content);
}
async function comment() {
  const [content, author, mentioned] = [there(), active(), some(2)];
  const spaces = chance(0.1) ? [pick(model.spaces)] : [];
  const before = content.comments.filter(({ isGone }) => !isGone);
  const asked = before.length > 0 && chance(0.5) ? pick(before) : undefined;
  const { id } = await call('POST', `/v1/${plural(content)}/${content.id}/comments`, {
    ...{ text: 'x', user_id: author.id, mentioned_user_ids: ids(mentioned), mentioned_space_ids: ids(spaces) },
    ...(asked ? { comment_parent_id: asked.id } : {}),
  });
  const said: Comment = { id, content, author, parent: asked?.parent ?? asked, isGone: false };
  content.comments.push(said);
  model.said(said, mentioned, spaces);
}
const plural = ({ type }: Content) => (type === 'kudos' ? 'kudos' : 'updates');
async function unsay() {
  const said = there().comments.filter(({ isGone }) => !isGone);
  if (said.length === 0) return;
  const gone = pick(said);
  await call('DELETE', `/v1/comments/${gone.id}`);
  for (const one of gone.content.comments) if (one === gone || one.parent === gone) one.isGone = true;
}
async function remove() {
  const content = there();
  if (model.contents.filter(({ isGone }) => !isGone).length < 5) return;
  await call('DELETE', `/v1/${plural(content)}/${content.id}`);
  model.delete(content);
}
async function move() {
  const [space, joining, leaving] = [pick(model.spaces), some(3), some(2)];
  const coming = joining.filter((one) => !leaving.includes(one));
  const json = { ids_to_add: ids(coming), ids_to_remove: ids(leaving) };
  await call('PATCH', `/v1/spaces/${space.id}/users`, json);
  for (const one of leaving) space.members.delete(one);
  const added = coming.filter((one) => !space.members.has(one));
  for (const one of added) space.members.add(one);
  if (added.length > 0) model.added(space, added);
}
async function reveal() {
  const [space, visibility] = [pick(model.spaces), pick(['public', 'private', 'hidden'] as const)];
  await call('PUT', `/v1/spaces/${space.id}`, { name: `Space ${space.id}`, visibility });
  space.visibility = visibility;
}
async function leave() {
  if (model.people.filter(({ isActive }) => isActive).length < PEOPLE / 2) return;
  const person = active();
  await call('DELETE', `/v1/users/${person.id}`);
  person.isActive = false;
}
async function comeBack() {
  const person = model.people.find(({ isActive }) => !isActive);
  if (!person) return;
  await atrium.rows('update users set is_active = true where id = $1', [person.id]);
  person.isActive = true;
}
async function choose() {
  const [person, kind, in_app] = [active(), pick(['mention', 'comment', 'reply', 'kudos', 'must_read']), chance(0.5)];
  await as(person, 'PUT', '/v1/notifications/settings', { kinds: [{ kind, in_app, push: true }] });
  if (in_app) person.off.delete(kind);
  else person.off.add(kind);
}
async function mute() {
  const person = active();
  const seen = model.contents.filter((one) => !one.isGone && model.sees(person, one));
  const known = model.spaces.filter(({ visibility, members }) => visibility !== 'hidden' || members.has(person));
  const things = chance(0.5) ? known.map(({ id }) => `space ${id}`) : seen.map(({ type, id }) => `${type} ${id}`);
  if (things.length === 0) return;
  const [thing, level] = [pick(things), pick<Level>(['none', 'personal'])];
  await as(person, 'PUT', `/v1/notifications/mutes/${thing.replace(' ', '/')}`, { level });
  person.mutes.set(thing, level);
}
async function read() {
  const [person, { type, id }] = [active(), there()];
  await as(person, 'POST', '/v1/notifications/read', { thing: { type, id } });
  for (const content of model.contents) if (content.type === type && content.id === id) model.read(person, content);
}
async function confirm() {
  const asked = model.contents.filter(({ isGone, isMustRead }) => isMustRead && !isGone);
  const person = active();
  const content = asked.find((one) => model.sees(person, one) && !one.confirmed.has(person));
  if (!content) return;
  await as(person, 'POST', `/v1/${plural(content)}/${content.id}/acknowledgement`, {});
  content.confirmed.add(person);
}

const actions: readonly (() => Promise<void>)[] = [
  ...Array.from({ length: 6 }, () => () => post('update')),
  ...Array.from({ length: 3 }, () => () => post('kudos')),
  ...Array.from({ length: 14 }, () => comment),
  ...[edit, edit, unsay, unsay, remove, move, move, reveal, leave, comeBack, choose, mute, read, read, confirm],
];

test(`after ${ACTIONS} actions of ${PEOPLE} people and ${KILLS} kills each has what the rules say`, async () => {
  const made = await atrium.rows<{ id: number }>(
    `insert into users (organisation_id, email, first_name, last_name, created_at, updated_at)
     select 1, 'p' || n || '@example.org', 'P', n::text, now(), now() from generate_series(1, $1) n returning id`,
    [PEOPLE],
  );
  for (const { id } of made) model.people.push({ id: Number(id), isActive: true, off: new Set(), mutes: new Map() });
  // Those of the cast are in no part of it.
  await atrium.rows(`update users set is_active = false where kind = 'person' and id < $1`, [made[0]?.id]);
  for (let n = 0; n < SPACES; n++) {
    const visibility = pick(['public', 'private', 'hidden'] as const);
    const { id } = await call('POST', '/v1/spaces', { name: `Story ${n}`, visibility });
    const space: Space = { id, visibility, members: new Set() };
    model.spaces.push(space);
  }
  for (let n = 0; n < 5; n++) await post('update');
  for (let n = 1; n <= ACTIONS; n++) {
    await pick(actions)();
    if (n % SETTLED_EVERY === 0 && killed_with.length < KILLS) await settle(true);
  }
  await settle(false);
  while (model.people.some(({ isActive }) => !isActive)) await comeBack();
  let entries = 0;
  for (const person of model.people) {
    const told = (await as(person, 'GET', '/v1/notifications?take=500')) as unknown as {
      topic: string;
      thing: { type: string; id: number };
      reasons: { reason: string }[];
      is_read: boolean;
    }[];
    const list = told.map(({ topic, thing, reasons, is_read }) => {
      const names = reasons.map(({ reason }) => reason).sort();
      return `${thing.type} ${thing.id} ${topic}: ${names.join(', ')}${is_read ? ' (read)' : ''}`;
    });
    assert.deepEqual(list.sort(), model.listOf(person).sort(), `of person ${person.id}`);
    entries += list.length;
  }
  assert.ok(entries > ACTIONS / 2, String(entries));
  if (process.env.ATRIUM_STORY) console.log({ entries, rows: model.rows.size, killed_with });
});

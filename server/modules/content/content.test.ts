// Who sees what of content: every way in agrees, whoever asks and with whatever credential.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { SignJWT } from 'jose';
import { type Call, signIn, startAtrium } from '../../testing/atrium.ts';
import { contentNouns, plurals, postedNouns } from './contract.ts';

const atrium = await startAtrium();
const [ADA, EMI] = [1, 5];
const [SALES, IT] = [1, 3];

const space = async (name: string, visibility: string, user_id: number): Promise<number> =>
  (await atrium.call('POST', '/v1/spaces', { json: { name, visibility, user_id } })).body.data.id;
const [canteen, board, works, club] = [
  await space('Canteen', 'public', ADA),
  await space('Mergers', 'hidden', ADA),
  await space('Works council', 'private', ADA),
  await space('Book club', 'hidden', EMI),
];
/** Emi is in the club and in Sales. */
const audiences = {
  everybody: { type: 'Global' },
  public: { type: 'spaces', spaces: [canteen] },
  private: { type: 'spaces', spaces: [works] },
  hidden: { type: 'spaces', spaces: [board] },
  'private and public': { type: 'spaces', spaces: [works, canteen] },
  'hidden and public': { type: 'spaces', spaces: [board, canteen] },
  'own hidden': { type: 'spaces', spaces: [club] },
  'own team': { type: 'teams', teams: [SALES] },
  'other team': { type: 'teams', teams: [IT] },
};
type Place = keyof typeof audiences;
const publicly: Place[] = ['everybody', 'public', 'private and public', 'hidden and public'];
const emisPlaces: Place[] = [...publicly, 'own hidden', 'own team'];

interface Posted {
  noun: (typeof postedNouns)[number];
  place: Place;
  id: number;
  external_id: string;
  comment_id: number;
}
const posted: Posted[] = [];
const long = { starts_at: '2090-01-01T10:00:00Z', ends_at: '2090-01-01T11:00:00Z' };
const bodies = {
  article: { html_content: '<p>Notice</p>', requires_acknowledgement: true },
  update: { text: 'Notice', requires_acknowledgement: true },
  kudos: { text: 'Notice', recipients: { users: [2] }, requires_acknowledgement: true },
  event: long,
};
for (const noun of postedNouns)
  for (const [place, audience] of Object.entries(audiences)) {
    const external_id = `${noun} ${place}`;
    const json = { title: external_id, ...bodies[noun], audience, external_id, user_id: ADA };
    const reply = await atrium.call('POST', `/v1/${plurals[noun]}`, { json });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const { id } = reply.body.data;
    const comment = await atrium.call('POST', `/v1/${plurals[noun]}/${id}/comments`, { json: { text: 'First!' } });
    posted.push({ noun, place: place as Place, id, external_id, comment_id: comment.body.data.id });
  }

const filed: { place: Place; id: number; folder_id: number }[] = [];
for (const [place, space_id] of [
  ['everybody', null],
  ['public', canteen],
  ['private', works],
  ['hidden', board],
  ['own hidden', club],
] as const) {
  const folder = await atrium.call('POST', '/v1/documents/folders', { json: { name: place, space_id } });
  const json = { label: place, url: 'https://example.org/', location_id: folder.body.data.id };
  filed.push({
    place,
    id: (await atrium.call('POST', '/v1/documents', { json })).body.data.id,
    folder_id: folder.body.data.id,
  });
}

// ---- Callers -----------------------------------------------------------------------------------------------------

const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
const withKey =
  (key: string): Call =>
  (method, path, options = {}) =>
    atrium.call(method, path, { key, ...options });
const families = [...Object.values(plurals), 'comments', 'likes', 'acknowledgements', 'documents', 'assets'];
const scopes = [
  ...families.flatMap((family) => [`${family}.*.read`, `${family}.*.write`]),
  'spaces.public.read',
  'spaces.private.read',
  'spaces.hidden.read',
];
const appKey = async (without: readonly string[]): Promise<Call> =>
  withKey(
    (
      await atrium.call('POST', '/v1/admin/apps/1/keys', {
        json: { name: 'App', scopes: scopes.filter((one) => !without.includes(one)) },
      })
    ).body.data.api_key,
  );
const personalKey = async (): Promise<Call> =>
  withKey((await emi.call('POST', '/v1/keys', { json: { name: 'Mine', scopes } })).body.data.api_key);
const pair = generateKeyPairSync('ed25519');
const jwk = { ...(pair.publicKey.export({ format: 'jwk' }) as { kty: string }), kid: 'one', alg: 'EdDSA', use: 'sig' };
assert.equal(
  (await atrium.call('PUT', '/v1/admin/apps/1/jwt-settings', { json: { jwks: { keys: [jwk] }, scopes: ['*'] } }))
    .status,
  200,
);
const userJwt: Call = async (method, path, options = {}) => {
  const exp = Math.floor(atrium.clock.micros() / 1_000_000) + 60;
  const jwt = await new SignJWT({ iss: '1', sub: String(EMI), jti: randomUUID(), exp })
    .setProtectedHeader({ alg: 'EdDSA' })
    .sign(pair.privateKey);
  return atrium.call(method, path, {
    key: null,
    ...options,
    headers: { 'x-service-jwt': jwt, 'x-service-jwt-keyid': 'one' },
  });
};

const persons: [who: string, call: Call][] = [
  ['her session', emi.call],
  ['her personal key', await personalKey()],
  ['a user JWT of an app', userJwt],
];
const callers: [who: string, call: Call, sees: Place[]][] = [
  ...persons.map(([who, call]): [string, Call, Place[]] => [`a person, by ${who},`, call, emisPlaces]),
  [
    'a key without private and hidden spaces',
    await appKey(['spaces.private.read', 'spaces.hidden.read']),
    [...publicly, 'own team', 'other team'],
  ],
  [
    'a key without hidden spaces',
    await appKey(['spaces.hidden.read']),
    [...publicly, 'private', 'own team', 'other team'],
  ],
  ['a key with all spaces', await appKey([]), Object.keys(audiences) as Place[]],
];

for (const [who, call, sees] of callers)
  describe(`${who} sees the same`, () => {
    const visible = (noun: string, places: readonly Place[] = sees) =>
      posted
        .filter((one) => one.noun === noun && sees.includes(one.place) && places.includes(one.place))
        .map(({ id }) => id);
    const known = new Set(posted.map(({ noun, id }) => `${noun} ${id}`));

    for (const noun of postedNouns)
      test(`in lists of ${plurals[noun]}, under every filter, and in their totals`, async () => {
        const listed = async (query: string) => {
          const { status, body } = await call('GET', `/v1/${plurals[noun]}?take=100&${query}`);
          assert.deepEqual([status, body.meta.pagination.total_records], [200, body.data.length], query);
          const ids: number[] = body.data.map(({ id }: { id: number }) => id);
          assert.deepEqual(
            (await call('GET', `/v1/${plurals[noun]}?take=1&skip=1&${query}`)).body.data.map(
              ({ id }: { id: number }) => id,
            ),
            ids.slice(1, 2),
            query,
          );
          return ids.filter((id) => known.has(`${noun} ${id}`)).sort((a, b) => a - b);
        };
        const ofSpaces: Place[] = [
          'public',
          'private',
          'hidden',
          'private and public',
          'hidden and public',
          'own hidden',
        ];
        const expected: [query: string, places: Place[]][] = [
          ['', sees],
          ['created_after=2020-01-01T00:00:00Z', sees],
          [`creator_id=${ADA}`, sees],
          ['space_ids=all', ofSpaces],
          ['team_ids=all', ['own team', 'other team']],
          ['space_ids=all&team_ids=all', [...ofSpaces, 'own team', 'other team']],
          [`space_ids=${canteen}`, ['public', 'private and public', 'hidden and public']],
          // That something seen elsewhere was also posted to a space that the caller does not know of, is not told.
          [
            `in_spaces=${board}|${club}`,
            who === 'a key with all spaces' ? ['hidden', 'hidden and public', 'own hidden'] : ['own hidden'],
          ],
          [`space_ids=${club}&team_ids=all`, ['own hidden', 'own team', 'other team']],
          [`team_ids=${SALES},${IT}`, ['own team', 'other team']],
        ];
        for (const [query, places] of expected) assert.deepEqual(await listed(query), visible(noun, places), query);
      });

    test('by id, by external id, in comments, likes, acknowledgements and the calendar', async () => {
      for (const { noun, place, id, external_id, comment_id } of posted) {
        const wanted = sees.includes(place) ? 200 : 404;
        const hanging = ['', '/comments', '/likes', `/comments/${comment_id}/likes`, `/comments/${comment_id}/replies`];
        const more =
          noun === 'event'
            ? ['/calendar.ics', '/attendees']
            : ['/acknowledgement', '/acknowledgement/users', '/acknowledgement/users?status=pending'];
        const roots = [
          `/v1/${plurals[noun]}/${id}`,
          `/v1/${plurals[noun]}/by-external-id/${encodeURIComponent(external_id)}`,
        ];
        const paths = [
          ...roots.flatMap((root) => [...hanging, ...more].map((path) => root + path)),
          `/v1/comments/${comment_id}`,
        ];
        for (const path of paths) assert.equal((await call('GET', path)).status, wanted, `${path} of ${place}`);
      }
      const { body } = await call('GET', '/v1/events/calendar.ics');
      const dated = posted.filter(
        ({ noun, external_id }) => noun === 'event' && new RegExp(`SUMMARY:${external_id}\r`).test(body),
      );
      assert.deepEqual(
        dated.map(({ id }) => id),
        visible('event'),
      );
    });

    test('of documents and folders', async () => {
      const listed = async (path: string) => {
        const { body } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}take=100`);
        assert.equal(body.meta.pagination.total_records, body.data.length);
        return body.data.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b);
      };
      const seen = filed.filter(({ place }) => sees.includes(place));
      const known = (ids: number[], all: number[]) => ids.filter((id) => all.includes(id));
      const [ids, folders] = [filed.map(({ id }) => id), filed.map(({ folder_id }) => folder_id)];
      assert.deepEqual(
        known(await listed('/v1/documents'), ids),
        seen.map(({ id }) => id),
      );
      assert.deepEqual(
        known(await listed('/v1/documents/folders'), folders),
        seen.map(({ folder_id }) => folder_id),
      );
      for (const { place, id, folder_id } of filed) {
        const wanted = sees.includes(place);
        for (const path of [`/v1/documents/${id}`, `/v1/documents/folders/${folder_id}`])
          assert.equal((await call('GET', path)).status, wanted ? 200 : 404, `${path} of ${place}`);
        assert.deepEqual(await listed(`/v1/documents?location_id=${folder_id}`), wanted ? [id] : []);
        const { status } = await call('PUT', `/v1/documents/${id}`, { json: { label: place } });
        // Emi edits documents in her own club only.
        const may = who.startsWith('a key') || place === 'own hidden';
        assert.equal(status, wanted ? (may ? 200 : 403) : 404, `PUT of ${place}`);
      }
    });

    test('when writing: what is not seen is a 404', async () => {
      for (const { noun, place, id, comment_id } of posted) {
        const root = `/v1/${plurals[noun]}/${id}`;
        const user = who.startsWith('a key') ? { user_id: ADA } : {};
        const writes: [path: string, json: object][] = [
          ['/comments', { text: 'Hm' }],
          ['/likes', user],
          [`/comments/${comment_id}/replies`, { text: 'Hm' }],
          ...(noun === 'event' ? [] : [['/acknowledgement', user] as [string, object]]),
        ];
        for (const [path, json] of writes) {
          const { status } = await call('POST', root + path, { json });
          assert.equal(status < 300 ? 200 : status, sees.includes(place) ? 200 : 404, `${root}${path} of ${place}`);
        }
      }
    });
  });

for (const [who, call] of persons)
  describe(`a person, by ${who},`, () => {
    const [update, article] = ['update', 'article'].map(
      (noun) => posted.find((one) => one.noun === noun && one.place === 'everybody') as Posted,
    );
    test('changes nothing of others and writes in nobody else’s name', async () => {
      for (const { noun, id } of [update, article] as Posted[]) {
        const json = { title: 'Mine', html_content: '', text: 'Mine' };
        assert.equal((await call('PUT', `/v1/${plurals[noun]}/${id}`, { json })).status, 403);
        assert.equal((await call('DELETE', `/v1/${plurals[noun]}/${id}`)).status, 403);
        const { comment_id } = update as Posted;
        assert.equal((await call('PUT', `/v1/comments/${comment_id}`, { json: { text: 'Mine' } })).status, 403);
        assert.equal((await call('DELETE', `/v1/comments/${comment_id}`)).status, 403);
        assert.equal((await call('POST', `/v1/${plurals[noun]}/${id}/likes`, { json: { user_id: ADA } })).status, 403);
      }
      assert.equal((await call('POST', '/v1/updates', { json: { text: 'Resign!', user_id: ADA } })).status, 403);
      const dates: [path: string, json: object][] = [
        ['/v1/updates', { text: 'I said so', created_at: '2020-01-01T00:00:00Z' }],
        [`/v1/updates/${update?.id}/comments`, { text: 'I said so', created_at: '2020-01-01T00:00:00Z' }],
        [`/v1/updates/${update?.id}/likes`, { created_at: '2020-01-01T00:00:00Z' }],
        [`/v1/updates/${update?.id}/acknowledgement`, { acknowledged_at: '2020-01-01T00:00:00Z' }],
      ];
      for (const [path, json] of dates) {
        const { status, body } = await call('POST', path, { json });
        assert.deepEqual([status, body.meta.errors[0].path], [403, Object.keys(json).at(-1)], path);
      }
      assert.equal((await call('POST', '/v1/articles', { json: bodies.article })).status, 400);
      assert.equal((await call('POST', '/v1/articles', { json: { title: 'To all', ...bodies.article } })).status, 403);
      const secret = await call('POST', '/v1/updates', { json: { text: 'Hello', audience: audiences.hidden } });
      assert.deepEqual([secret.status, secret.body.meta.errors[0].path], [400, 'audience.spaces[0]']);
      assert.equal(
        (await call('POST', '/v1/updates', { json: { text: 'Hello', audience: audiences.private } })).status,
        403,
      );
    });

    test('has their own files only, and posts to a space with approvals are held back', async () => {
      const { body } = await call('GET', '/v1/assets');
      assert.deepEqual(
        body.data.filter(({ creator_id }: { creator_id: number }) => creator_id !== EMI),
        [],
      );
      await atrium.rows('update organisations set content_approvals = true where id = 1');
      const mine = await call('POST', '/v1/updates', {
        json: { text: 'May I?', audience: { type: 'spaces', spaces: [2] } },
      });
      assert.deepEqual([mine.status, mine.body.data.content_approval?.status], [201, 'pending']);
      assert.equal((await call('POST', `/v1/updates/${mine.body.data.id}/approve`)).status, 403);
      await atrium.rows('update organisations set content_approvals = false where id = 1');
    });
  });

test('the outbox marks as public exactly what everybody in the organisation sees', async () => {
  const events = await atrium.outbox();
  for (const { noun, place, id } of posted) {
    const event = events.find(({ action, payload }) => action === `${noun}.published` && payload[noun]?.id === id);
    assert.equal(event?.is_public, publicly.includes(place), `${noun} ${place}`);
  }
});

describe('content written without a language has the organisation’s', () => {
  const texts = (text: string) => ({
    page: { title: text, html_content: `<p>${text}</p>` },
    article: { title: text, html_content: `<p>${text}</p>` },
    update: { text },
    kudos: { text, recipients: { users: [2] } },
    event: { title: text, ...long },
  });
  for (const noun of contentNouns)
    test(`${noun}: a PUT in another language leaves the original, and answers what it wrote`, async () => {
      const call = async (method: string, path: string, json?: object) =>
        (await atrium.call(method, `/v1/${plurals[noun]}${path}`, json ? { json } : {})).body.data;
      const worded = (row: { title?: string; text?: string; language: string }) => [
        row.title || row.text,
        row.language,
      ];
      const made = await call('POST', '', texts('Hello')[noun]);
      const put = (text: string, language?: string) => call('PUT', `/${made.id}`, { ...texts(text)[noun], language });
      assert.deepEqual(worded(made), ['Hello', 'en']);
      assert.deepEqual(worded(await put('Hallo', 'de')), ['Hallo', 'de']);
      assert.deepEqual(worded(await put('Hallo', 'de')), ['Hallo', 'de'], 'nothing changed');
      assert.deepEqual(worded(await call('GET', `/${made.id}`)), ['Hello', 'en']);
      assert.deepEqual(worded(await put('Hi')), ['Hi', 'en'], 'without a language the original is meant');
      assert.deepEqual(worded(await call('GET', `/${made.id}?language=de`)), ['Hallo', 'de']);
      await atrium.rows(`update ${plurals[noun]} set language = null where id = ${made.id}`);
      assert.deepEqual(worded(await put('Salut', 'fr')), ['Salut', 'fr']);
      assert.deepEqual(worded(await call('GET', `/${made.id}`)), ['Hi', 'en'], 'rows of earlier versions too');
    });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium({ request_days: 0 });
const post = (path: string, json: object) => atrium.call('POST', path, { json });
const update = async (json: object) => (await post('/v1/updates', { text: 'x', ...json })).body.data;
const key = atrium.keyWith;
const as = (email: string) => signIn(atrium, email);
const inSpace = (id: number) => ({ audience: { type: 'spaces', spaces: [id] } });
const texts = (reply: { body: { data: { text: string }[] } }) => reply.body.data.map(({ text }) => text);
const actions = async () =>
  (await atrium.outbox()).map(({ action, is_public, space_id }) => ({ action, is_public, space_id }));

describe('create and read', () => {
  test('kudos given as existing clients do (multipart) have the form of docs/interface.md', async () => {
    const form = new FormData();
    for (const [name, value] of [
      ['html', '<p>Well <b>done</b><script>x()</script></p>'],
      ['external_id', 'K-77'],
      ['recipients[users][]', '4'],
      ['recipients[external_users][]', 'E-1005'],
      ['recipients[teams][0]', '1'],
      ['user_external_id', 'E-1002'],
      ['created_at', '2020-02-03T04:05:06.123456Z'],
    ] as const)
      form.append(name, value);
    const reply = await atrium.call('POST', '/v1/kudos', { form });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const kudos = reply.body.data;
    assert.deepEqual([kudos.legacy_system_id, kudos.external_id], ['K-77', 'K-77']);
    assert.deepEqual([kudos.text, kudos.html], ['Well done', '<p>Well <b>done</b></p>']);
    assert.equal(kudos.created_at, '2020-02-03T04:05:06.123456Z');
    assert.deepEqual(kudos.audience, { type: 'Global', spaces: [], teams: [] });
    assert.equal(kudos.creator.external_id, 'E-1002');
    assert.deepEqual(Object.keys(kudos.creator).sort(), [
      ...[
        'avatar_url',
        'date_of_birth',
        'direct_dial',
        'email',
        'external_id',
        'first_name',
        'hire_date',
        'id',
        'job_title',
      ],
      ...['last_name', 'locale', 'mobile_phone', 'name', 'timezone'],
    ]);
    assert.deepEqual(
      kudos.recipients.users.map(({ id }: { id: number }) => id),
      [4, 5],
    );
    assert.deepEqual(Object.keys(kudos.recipients.teams[0]).sort(), ['avatar_url', 'external_id', 'id', 'name']);
    assert.ok(!('content_approval' in kudos), 'absent while the organisation has no approvals');
    assert.deepEqual((await atrium.call('GET', '/v1/kudos/by-external-id/K-77')).body.data, {
      ...kudos,
      languages: [],
    });
    assert.deepEqual((await atrium.outbox()).at(-1)?.payload.kudos, kudos, 'the event carries the whole resource');
  });

  test('text makes html and html makes text; one of them is needed', async () => {
    const { html } = await update({ text: 'One <two>\nthree\n\nsee https://example.org/a?b=1.' });
    assert.equal(
      html,
      '<p>One &lt;two&gt;<br />three</p><p>see <a href="https://example.org/a?b=1">https://example.org/a?b=1</a>.</p>',
    );
    const quoted = await update({ text: 'It’s "https://example.org/a?b=1&c" or <https://example.org/\'x\'>' });
    const link = (address: string) => `<a href="${address}">${address}</a>`;
    assert.equal(
      quoted.html,
      `<p>It’s &quot;${link('https://example.org/a?b=1&amp;c')}&quot; or ` +
        `&lt;${link("https://example.org/'x")}'&gt;</p>`,
    );
    assert.equal(
      (await update({ text: undefined, html: '<h1>A</h1><ul><li>b</li><li>c &amp; d</li></ul>' })).text,
      'A\nb\nc & d',
    );
    for (const nothing of [{ text: '' }, { text: ' \n' }, { html: '<p> </p>' }, { html: '<script>x()</script>' }]) {
      const empty = await post('/v1/updates', nothing);
      assert.deepEqual([empty.status, empty.body.meta?.errors?.[0]?.path], [400, 'text'], JSON.stringify(nothing));
    }
    assert.equal(
      (await post('/v1/updates', { html: '<img src="https://example.org/a.png">' })).status,
      201,
      'a picture says something',
    );
  });

  test('bad input names its field and leaves neither row nor event', async () => {
    const before = await atrium.rows(
      'select count(*)::int as n from updates union all select count(*)::int from kudos',
    );
    const events = (await atrium.outbox()).length;
    const refused = async (path: string, json: object, field: string) => {
      const { status, body } = await post(path, json);
      assert.deepEqual([status, body.meta.errors[0].path], [400, field], JSON.stringify(body));
    };
    await refused('/v1/updates', { text: 'x', ...inSpace(999) }, 'audience.spaces[0]');
    await refused('/v1/updates', { text: 'x', audience: { type: 'teams', teams: [1, 999] } }, 'audience.teams[1]');
    await refused('/v1/updates', { text: 'x', audience: { type: 'spaces' } }, 'audience.spaces');
    await refused('/v1/updates', { text: 'x', user_external_id: 'nobody' }, 'user_external_id');
    await refused('/v1/updates', { text: 'x', language: 'not a language' }, 'language');
    await refused('/v1/updates', { text: 'x', created_at: '2999-01-01T00:00:00Z' }, 'created_at');
    await refused('/v1/updates', { text: 'x', shared_post: { type: 'page', id: 999 } }, 'shared_post.id');
    await refused('/v1/updates', { html: '<img src="asset://1">' }, 'html');
    await refused('/v1/kudos', { text: 'x' }, 'recipients');
    await refused('/v1/kudos', { text: 'x', recipients: { users: [4, 999] } }, 'recipients.users[1]');
    await refused('/v1/kudos', { text: 'x', recipients: { teams: [999] } }, 'recipients.teams[0]');
    const taken = await post('/v1/updates', { text: 'x', external_id: 'U-1' });
    assert.deepEqual([taken.status, taken.body.code], [409, 'external_id_taken']);
    assert.deepEqual(
      await atrium.rows('select count(*)::int as n from updates union all select count(*)::int from kudos'),
      before,
    );
    assert.equal((await atrium.outbox()).length, events);
  });

  test('a shared post is a reference that gives nothing of it away', async () => {
    const shared = await update({ shared_post: { type: 'page', id: 2 } });
    assert.deepEqual(shared.shared_post, { type: 'page', id: 2, permalink: 'http://northwind.localhost/pages/2' });
  });
});

describe('goals, campaigns and badges', () => {
  test('kudos carry a goal and campaigns, and award their badge to every user among the recipients, once', async () => {
    const held = async () =>
      (await atrium.call('GET', '/v1/badges/2/users?take=100')).body.data.map(
        ({ user }: { user: { id: number } }) => user.id,
      );
    const before = await held();
    const reply = await post('/v1/kudos', {
      text: 'Hero',
      recipients: { users: [3, 5], teams: [1] },
      badge_id: 2,
      goal_id: 1,
      campaign_ids: [1],
    });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const { id, goal, campaign, badge_id } = reply.body.data;
    assert.deepEqual([goal.id, campaign.id, badge_id], [1, 1, 2]);
    assert.deepEqual(new Set(await held()), new Set([...before, 3, 5]));
    const awarded = (await atrium.outbox()).filter(
      ({ action, payload }) => action === 'badge.assigned' && payload.badge?.id === 2,
    );
    await post('/v1/kudos', { text: 'Me!', user_id: 4, recipients: { users: [4, 5] }, badge_id: 2 });
    assert.ok(!(await held()).includes(4), 'nobody thanks themselves into a badge');
    assert.deepEqual(new Set(awarded.slice(-2).map(({ payload }) => payload.user?.id)), new Set([3, 5]));
    const campaigns = (await atrium.call('GET', `/v1/kudos/${id}/campaigns`)).body;
    assert.deepEqual(
      [campaigns.data.map((one: { id: number }) => one.id), campaigns.meta.pagination.total_records],
      [[1], 1],
    );
    const update = (await post('/v1/updates', { text: 'Of a campaign', campaign_ids: [1] })).body.data;
    assert.equal((await atrium.call('GET', `/v1/updates/${update.id}/campaigns`)).body.data[0].id, 1);
    const cleared = (
      await atrium.call('PUT', `/v1/kudos/${id}`, { json: { text: 'Hero', recipients: { users: [3] } } })
    ).body.data;
    assert.deepEqual([cleared.goal, cleared.campaign, cleared.badge_id], [null, null, null]);
    for (const [field, code] of [
      ['goal_id', 'goal_not_found'],
      ['badge_id', 'badge_not_found'],
      ['campaign_ids', 'campaign_not_found'],
    ] as const) {
      const refused = await post('/v1/kudos', {
        text: 'x',
        recipients: { users: [3] },
        [field]: field === 'campaign_ids' ? [999] : 999,
      });
      assert.deepEqual([refused.status, refused.body.code], [400, code]);
      assert.ok(refused.body.meta.errors[0].path.startsWith(field), JSON.stringify(refused.body.meta));
    }
  });
});

describe('replace', () => {
  test('what is omitted is cleared, but identifiers and audience stay; equal values change nothing', async () => {
    const made = await update({ external_id: 'U-R', requires_acknowledgement: true, ...inSpace(2) });
    const put = async (json: object) =>
      (await atrium.call('PUT', '/v1/updates/by-external-id/U-R', { json })).body.data;
    const changed = await put({ text: 'y' });
    assert.deepEqual(
      [changed.text, changed.requires_acknowledgement, changed.content_version, changed.audience],
      ['y', false, 2, made.audience],
    );
    assert.ok(changed.sequence > made.sequence && changed.updated_at > made.updated_at);
    const events = (await atrium.outbox()).length;
    assert.deepEqual(await put({ text: 'y' }), changed);
    assert.equal((await atrium.outbox()).length, events, 'no event');
    const moved = await put({ text: 'y', ...inSpace(4) });
    assert.deepEqual([moved.audience.spaces, moved.content_version], [[{ id: 4, name: 'Board' }], 2]);
    assert.deepEqual((await actions()).at(-1), { action: 'update.updated', is_public: false, space_id: 4 });
  });

  test('another language is a translation, which reads fall back from', async () => {
    const { id } = await update({ text: 'Good morning', language: 'en' });
    const translated = await atrium.call('PUT', `/v1/updates/${id}`, {
      json: { text: 'Guten Morgen', language: 'de' },
    });
    assert.equal(translated.status, 200);
    const read = async (query: string) => (await atrium.call('GET', `/v1/updates/${id}${query}`)).body.data;
    assert.deepEqual(
      [(await read('?language=DE')).text, (await read('?language=de')).language],
      ['Guten Morgen', 'de'],
    );
    assert.deepEqual([(await read('?language=fr')).text, (await read('')).text], ['Good morning', 'Good morning']);
    assert.deepEqual((await read('')).languages, ['de']);
  });

  test('a language is the same however it is written: lists show each post once', async () => {
    const { id } = (await post('/v1/updates', { text: 'Hello', language: 'en-gb' })).body.data;
    for (const language of ['de-at', 'DE-AT'])
      await atrium.call('PUT', `/v1/updates/${id}`, { json: { text: `Servus ${language}`, language } });
    const { data, meta } = (await atrium.call('GET', '/v1/updates?take=1&language=De-aT')).body;
    assert.deepEqual(
      data.map((one: { id: number; text: string; language: string }) => [one.id, one.text, one.language]),
      [[id, 'Servus DE-AT', 'de-AT']],
    );
    assert.equal(
      meta.pagination.total_records,
      (await atrium.call('GET', '/v1/updates')).body.meta.pagination.total_records,
    );
    assert.equal((await atrium.call('GET', `/v1/updates/${id}`)).body.data.language, 'en-GB');
  });

  test('a translation may bring files, which are the post’s', async () => {
    const { id } = await update({ text: 'Hello', language: 'en' });
    const form = new FormData();
    for (const [name, value] of Object.entries({ text: 'Hallo', language: 'de' })) form.append(name, value);
    form.append('attachments[0]', new Blob(['Guten Tag'], { type: 'text/plain' }), 'gruss.txt');
    const { data } = (await atrium.call('PUT', `/v1/updates/${id}`, { form })).body;
    assert.deepEqual([data.text, data.attachments.length], ['Hallo', 1]);
  });

  test('what was read may be sent back, with the nulls of what is not there', async () => {
    const { text, external_id, language, video, goal } = await update({ text: 'Plain' });
    assert.deepEqual([language, video, goal], ['en', null, null]);
    const reply = await atrium.call(
      'PUT',
      `/v1/updates/by-external-id/${(await update({ external_id: 'U-null' })).external_id}`,
      {
        json: { text, external_id, language, video, goal_id: goal },
      },
    );
    assert.deepEqual(
      [reply.status, reply.body.data?.text, reply.body.data?.external_id],
      [200, 'Plain', 'U-null'],
      JSON.stringify(reply.body),
    );
  });

  test('kudos always thank somebody; recipients are replaced as a whole', async () => {
    const { id } = (await post('/v1/kudos', { text: 'x', recipients: { users: [3, 4], teams: [1] } })).body.data;
    const put = (json: object) => atrium.call('PUT', `/v1/kudos/${id}`, { json });
    assert.equal((await put({ text: 'x' })).status, 400);
    const { recipients } = (await put({ text: 'x', recipients: { users: [4, 5] } })).body.data;
    assert.deepEqual([recipients.users.map((user: { id: number }) => user.id), recipients.teams], [[4, 5], []]);
  });
});

describe('who sees what', () => {
  test('private and hidden spaces are for their members and for keys with the scope, in lists and reads', async () => {
    const hidden = await update({ text: 'Board only', external_id: 'U-B', ...inSpace(4) });
    await update({ text: 'Sales only', ...inSpace(3) });
    await update({ text: 'Two spaces', audience: { type: 'spaces', spaces: [2, 4] } });
    const narrow = await key(['updates.*.read']);
    const wide = await key(['updates.*.read', 'spaces.private.read']);
    const all = ['Two spaces', 'Sales only', 'Board only'];
    const list = async (options: object) => texts(await atrium.call('GET', '/v1/updates?take=3', options));
    assert.deepEqual(await list({}), all);
    assert.deepEqual(
      (await list({ key: narrow })).filter((text) => all.includes(text)),
      ['Two spaces'],
    );
    assert.deepEqual(
      (await list({ key: wide })).filter((text) => all.includes(text)),
      ['Two spaces', 'Sales only'],
    );
    assert.equal((await atrium.call('GET', `/v1/updates/${hidden.id}`, { key: wide })).status, 404);
    const two = (await atrium.call('GET', '/v1/updates?take=1', { key: narrow })).body.data[0];
    assert.deepEqual(
      two.audience.spaces,
      [{ id: 2, name: 'Store teams' }],
      'a hidden space is not named to those who may not know of it',
    );

    const emi = await as('emi.tanaka@northwind.example');
    const dmitri = await as('dmitri.petrov@northwind.example');
    assert.deepEqual(texts(await emi.call('GET', '/v1/updates?take=1')), ['Two spaces']);
    assert.deepEqual(texts(await dmitri.call('GET', '/v1/updates?take=2')), ['Two spaces', 'Sales only']);
    assert.equal((await emi.call('GET', `/v1/updates/by-external-id/U-B`)).status, 404);
    for (const person of [emi, dmitri]) {
      const seen = await person.call('GET', '/v1/updates?take=100');
      assert.equal(
        seen.body.meta.pagination.total_records,
        seen.body.data.length,
        'the total is exact for what they see',
      );
    }
  });

  test('when a space becomes hidden, so does what was posted to it, and back', async () => {
    const made = await update({ text: 'Moving', ...inSpace(2) });
    const narrow = await key(['updates.*.read']);
    const see = async () => (await atrium.call('GET', `/v1/updates/${made.id}`, { key: narrow })).status;
    const total = async () =>
      (await atrium.call('GET', '/v1/updates?take=1', { key: narrow })).body.meta.pagination.total_records;
    const [before, counted] = [await see(), await total()];
    await atrium.call('PUT', '/v1/spaces/2', { json: { name: 'Store teams', visibility: 'hidden' } });
    assert.deepEqual([before, await see()], [200, 404]);
    assert.ok((await total()) < counted);
    await atrium.call('PUT', '/v1/spaces/2', { json: { name: 'Store teams', visibility: 'public' } });
    assert.deepEqual([await see(), await total()], [200, counted]);
  });

  test('people post where they are members, in read-only spaces as editors, and change only their own', async () => {
    const emi = await as('emi.tanaka@northwind.example');
    const put = (json: object) => emi.call('POST', '/v1/updates', { json: { text: 'from Emi', ...json } });
    const own = await put(inSpace(2));
    assert.equal(own.status, 201);
    assert.equal((await put(inSpace(3))).status, 403, 'knows of the private space, but is no member');
    assert.equal((await put(inSpace(4))).status, 400, 'does not know of the hidden one');
    assert.equal((await put(inSpace(1))).status, 403, 'read-only');
    assert.equal((await put({ audience: { type: 'teams', teams: [1] } })).status, 201);
    assert.equal((await put({ audience: { type: 'teams', teams: [3] } })).status, 403);
    assert.equal((await put({ user_id: 2 })).status, 403);
    const other = await update({ ...inSpace(2) });
    assert.equal((await emi.call('PUT', `/v1/updates/${other.id}`, { json: { text: 'mine now' } })).status, 403);
    assert.equal((await emi.call('DELETE', `/v1/updates/${own.body.data.id}`)).status, 200);
    await atrium.call('POST', '/v1/spaces/2/archive');
    const archived = await put(inSpace(2));
    assert.deepEqual([archived.status, archived.body.code], [409, 'space_archived']);
    await atrium.call('POST', '/v1/spaces/2/unarchive');
  });
});

describe('a space that is archived while people post there', () => {
  test('has every post from before and none from after', async () => {
    const { id } = (await post('/v1/spaces', { name: 'Short-lived' })).body.data;
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n === 6
          ? atrium.call('POST', `/v1/spaces/${id}/archive`)
          : post('/v1/updates', { text: String(n), ...inSpace(id) }),
      ),
    );
    const [archived] = replies.splice(6, 1);
    assert.equal(archived?.status, 200, JSON.stringify(archived?.body));
    for (const { status, body } of replies)
      assert.ok(status === 201 || body.code === 'space_archived', JSON.stringify(body));
    const story = (await atrium.outbox()).filter(({ space_id }) => space_id === id).map(({ action }) => action);
    const posted = replies.filter(({ status }) => status === 201).map(() => 'update.published');
    assert.deepEqual(story, ['space.created', ...posted, 'space.archived']);
    assert.equal((await post('/v1/updates', { text: 'x', ...inSpace(id) })).body.code, 'space_archived');
  });
});

describe('approvals', () => {
  test(`a post to a space waits until somebody else approves it; only then it \
is seen, counted and announced`, async () => {
    await atrium.call('PUT', '/v1/admin/organisation', { json: { name: 'Northwind Retail', content_approvals: true } });
    const emi = await as('emi.tanaka@northwind.example');
    const events = (await atrium.outbox()).length;
    const { data } = (await emi.call('POST', '/v1/updates', { json: { text: 'May I?', ...inSpace(2) } })).body;
    assert.deepEqual(data.content_approval, { status: 'pending', reviewed_by: null, reviewed_at: null });
    assert.equal((await atrium.outbox()).length, events, 'no event yet');
    assert.equal((await emi.call('GET', `/v1/updates/${data.id}`)).status, 200, 'its author sees it');
    const carla = await as('carla.mendes@northwind.example');
    assert.equal((await carla.call('GET', `/v1/updates/${data.id}`)).status, 404);
    assert.ok(!texts(await atrium.call('GET', '/v1/updates?take=5')).includes('May I?'));
    const ben = await as('ben.lindqvist@northwind.example');
    assert.deepEqual(texts(await ben.call('GET', '/v1/updates?content_approval=pending&take=1')), ['May I?']);
    assert.equal((await emi.call('POST', `/v1/updates/${data.id}/approve`)).status, 403);
    const approved = await ben.call('POST', `/v1/updates/${data.id}/approve`);
    assert.deepEqual(
      [approved.body.data.content_approval.status, approved.body.data.content_approval.reviewed_by],
      ['approved', 2],
    );
    assert.deepEqual((await actions()).at(-1), { action: 'update.published', is_public: true, space_id: 2 });
    assert.deepEqual(texts(await carla.call('GET', '/v1/updates?take=1')), ['May I?']);
    const again = await ben.call('POST', `/v1/updates/${data.id}/reject`);
    assert.deepEqual([again.status, again.body.code], [409, 'not_pending']);
    const own = await ben.call('POST', '/v1/updates', { json: { text: 'Owner', ...inSpace(2) } });
    assert.equal(own.body.data.content_approval.status, 'approved', 'who may approve need not wait');
  });

  test(`what waits is changed and deleted without a word; what was rejected waits again once it \
is changed`, async () => {
    const [emi, ben] = [await as('emi.tanaka@northwind.example'), await as('ben.lindqvist@northwind.example')];
    const known = (await atrium.outbox()).length;
    const { id } = (await emi.call('POST', '/v1/updates', { json: { text: 'Rude', ...inSpace(2) } })).body.data;
    const put = async (json: object) => (await emi.call('PUT', `/v1/updates/${id}`, { json })).body;
    assert.equal((await put({ text: 'Very rude' })).data.content_approval.status, 'pending');
    assert.equal((await ben.call('POST', `/v1/updates/${id}/reject`)).body.data.content_approval.status, 'rejected');
    assert.deepEqual((await put({ text: 'Polite' })).data.content_approval, {
      status: 'pending',
      reviewed_by: null,
      reviewed_at: null,
    });
    const rude = (await emi.call('POST', '/v1/updates', { json: { text: 'Rude', ...inSpace(2) } })).body.data;
    assert.equal((await emi.call('DELETE', `/v1/updates/${rude.id}`)).status, 200);
    assert.equal((await atrium.outbox()).length, known);
    assert.equal((await ben.call('POST', `/v1/updates/${id}/approve`)).body.data.text, 'Polite');
    const global = (await emi.call('POST', '/v1/updates', { json: { text: 'To all' } })).body.data;
    assert.deepEqual(
      [
        (await emi.call('PUT', `/v1/updates/${id}`, { json: { text: 'Polite' } })).status,
        (await emi.call('PUT', `/v1/updates/${id}`, { json: { text: 'Rude' } })).status,
      ],
      [200, 403],
      'what was approved stays what was approved',
    );
    assert.equal((await atrium.call('GET', `/v1/updates/${id}`)).body.data.text, 'Polite');
    assert.equal((await ben.call('PUT', `/v1/updates/${id}`, { json: { text: 'Polite' } })).status, 200);
    const moved = await emi.call('PUT', `/v1/updates/${global.id}`, { json: { text: 'To you', ...inSpace(2) } });
    assert.deepEqual([moved.status, moved.body.meta.errors[0].path], [403, 'audience'], 'no way around approval');
    assert.deepEqual(
      (await actions()).slice(known).map(({ action }) => action),
      ['update.published', 'update.published'],
    );
  });
});

describe('lists', () => {
  test('space_ids and team_ids take ids in every form, or all; with both, either is enough', async () => {
    const list = async (query: string) => texts(await atrium.call('GET', `/v1/kudos?take=100&${query}`));
    const give = async (text: string, more: object) => post('/v1/kudos', { text, recipients: { users: [4] }, ...more });
    await give('in 1', inSpace(1));
    await give('in 3', inSpace(3));
    await give('team 2', { audience: { type: 'teams', teams: [2] } });
    assert.deepEqual(await list('space_ids=1'), ['in 1']);
    assert.deepEqual(await list('space_ids=1|3'), ['in 3', 'in 1']);
    assert.deepEqual(await list('in_spaces[]=3&in_spaces[]=1'), ['in 3', 'in 1']);
    assert.deepEqual(await list('space_ids=all'), ['in 3', 'in 1']);
    assert.deepEqual(await list('team_ids=all'), ['team 2']);
    assert.deepEqual(await list('space_ids=1&in_teams=2'), ['team 2', 'in 1']);
    assert.deepEqual(await list('space_ids=all&team_ids=all'), ['team 2', 'in 3', 'in 1']);
    assert.deepEqual(await list('space_ids=1&team_ids=all'), ['team 2', 'in 1']);
    const narrow = await key(['kudos.*.read']);
    assert.deepEqual(texts(await atrium.call('GET', '/v1/kudos?space_ids=all', { key: narrow })), ['in 1']);
    assert.deepEqual(texts(await atrium.call('GET', '/v1/kudos?space_ids=3', { key: narrow })), []);
    const emi = await as('emi.tanaka@northwind.example');
    assert.deepEqual(texts(await emi.call('GET', '/v1/kudos?space_ids=all')), ['in 1']);
    assert.deepEqual(texts(await emi.call('GET', '/v1/kudos?team_ids=all')), []);
    assert.equal((await atrium.call('GET', '/v1/kudos?space_ids=some')).status, 400);
  });

  test('a list is one statement beside the key’s, for a key and for a person', async () => {
    const { statements } = atrium.services.db;
    const emi = await as('emi.tanaka@northwind.example');
    for (const call of [
      () => atrium.call('GET', '/v1/updates?take=50&language=de'),
      () => emi.call('GET', '/v1/updates?take=50'),
    ]) {
      await call();
      const before = statements.count;
      await call();
      assert.ok(statements.count - before <= 2, `${statements.count - before} statements`);
    }
  });
});

test('kudos are listed by whom they thank, by badge and by value', async () => {
  const goal_id = (await atrium.call('POST', '/v1/goals', { json: { title: 'Kind' } })).body.data.id;
  const json = { text: 'Thanks', recipients: { users: [3], teams: [3] }, badge_id: 1, goal_id };
  const { id } = (await atrium.call('POST', '/v1/kudos', { json })).body.data;
  for (const filter of ['recipient_id=3', 'recipient_team_id=3', `goal_id=${goal_id}`]) {
    const { body } = await atrium.call('GET', `/v1/kudos?${filter}`);
    assert.deepEqual([body.data[0].id, body.meta.pagination.total_records], [id, body.data.length], filter);
  }
  assert.equal((await atrium.call('GET', '/v1/kudos?recipient_id=3&badge_id=2')).body.meta.pagination.total_records, 0);
  const held = (await atrium.call('GET', '/v1/badges?user_id=3')).body.data;
  assert.ok(held.some((badge: { id: number }) => badge.id === 1));
});

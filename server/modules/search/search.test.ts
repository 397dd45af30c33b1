// What may be seen is found, in every family and language, as it is now.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Call, signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
interface Hit {
  type: string;
  id: number;
  title: string;
  snippet: string;
  score: number;
  url: string;
  creator: { id: number } | null;
  created_at: string;
}
interface Found {
  data: Hit[];
  meta: {
    pagination: { total_records: number; next_page: string | null };
    did_you_mean: string | null;
    is_total_exact: boolean;
    warnings?: string[];
  };
}
const call = async (method: string, path: string, json?: object) => {
  const { status, body } = await atrium.call(method, `/v1${path}`, json ? { json } : {});
  assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(body)}`);
  return body.data;
};
type More = Record<string, string>;
const search = async (q: string, more: More = {}, by: Call = atrium.call): Promise<Found> => {
  const { status, body } = await by('GET', `/v1/search?${new URLSearchParams({ ...(q ? { q } : {}), ...more })}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const found = async (q: string, more: More = {}, by?: Call) =>
  (await search(q, more, by)).data.map(({ type, id }) => `${type} ${id}`);
const made = async (type: string, path: string, json: object) => `${type} ${(await call('POST', path, json)).id}`;
const page = (title: string, html_content = '', more: object = {}) =>
  made('page', '/pages', { title, html_content, ...more });
const person = await signIn(atrium, 'emi.tanaka@northwind.example');

test('each family is found by its words, at once', async () => {
  const word = 'quokka';
  const made_ = [
    await page('Quokka', '<p>x</p>'),
    await made('article', '/articles', { title: 'A', html_content: '<p>About a <b>quokka</b>.</p>' }),
    await made('update', '/updates', { text: 'We saw a quokka.' }),
    await made('kudos', '/kudos', { text: 'Thanks for the quokka', recipients: { users: [2] } }),
    await made('event', '/events', {
      title: 'Quokka day',
      starts_at: '2090-01-01T10:00:00Z',
      ends_at: '2090-01-01T11:00:00Z',
    }),
    await made('comment', '/pages/1/comments', { text: 'A quokka!' }),
    await made('space', '/spaces', { name: 'Quokka lovers', visibility: 'public' }),
    await made('team', '/teams', { name: 'Quokka team', team_type_id: 1 }),
    await made('document', '/documents', { label: 'Quokka.pdf', url: 'https://example.org/' }),
    await made('goal', '/goals', { title: 'Be a quokka' }),
    await made('badge', '/badges', { title: 'Quokka badge' }),
    await made('user', '/users', { email: 'q@northwind.example', first_name: 'Quokka', last_name: 'Smith' }),
  ];
  assert.deepEqual((await found(word)).sort(), [...made_].sort());
  assert.deepEqual((await found(word, {}, person.call)).sort(), [...made_].sort());
  const [first] = (await search(word)).data;
  assert.deepEqual([first?.title, first?.score && first.score > 10], ['Quokka', true], 'an exact title is first');
  assert.equal((await search(word)).meta.pagination.total_records, made_.length);
  for (const one of made_) assert.deepEqual(await found(word, { types: one.split(' ')[0] ?? '' }), [one]);
});

test('signs of every plane are no words, and stop nobody’s search', async () => {
  const title = `\u{1f389} Kowari \u{10ffff}\u202e ${'\u{10428}'.repeat(60)} a${'\u{10428}'.repeat(60)}`;
  const one = await page(title, '<p>\u{1f468}\u200d\u{1f680} woylie \u{1f1e9}\u{1f1ea}</p>');
  assert.deepEqual([await found('kowari'), await found('woylie \u{1f389}')], [[one], [one]]);
});

test('titles, names and external ids come first when they are what was asked for', async () => {
  await page('Everything about travel policy and more', '<p>Travel policy travel policy.</p>');
  const exact = await page('Travel policy', '<p>x</p>');
  assert.equal((await found('travel POLICY'))[0], exact);
  assert.equal((await found('E-1004'))[0], 'user 4', 'an external id');
  assert.equal((await found('dmitri.petrov@northwind.example'))[0], 'user 4', 'an e-mail');
  assert.equal((await found('Petrov Dmitri'))[0], 'user 4', 'a name in another order');
  const numbered = await page('Numbered', '', { external_id: 770077 });
  assert.equal((await found('770077'))[0], numbered);
});

describe('languages', () => {
  const texts: [language: string, title: string, text: string, questions: string[]][] = [
    ['en', 'Returning empty bottles', 'Customers bring bottles back.', ['bottle return', 'botles', 'empty bott']],
    ['de', 'Fahrkartenautomat am Südtor', 'Größe und Öffnungszeiten', ['automat', 'Suedtor', 'grosse', 'Öffnungszeit']],
    ['fr', 'Congés payés d’été', 'Les employés demandent leurs congés.', ['conges payes', 'congé', 'employe']],
    ['es', 'Vacaciones pagadas del almacén', 'Cada año', ['almacen', 'vacacion', 'pagada']],
    ['pl', 'Godziny otwarcia sklepów', 'Łódź i Gdańsk', ['lodz', 'godzina', 'sklep', 'gdansk']],
    ['ru', 'Правила возврата товаров', 'Покупатель приносит чек.', ['правило', 'возврат', 'чек', 'товары']],
    ['ar', 'سياسة الإجازات السنوية', 'يقدم الموظفون الطلب', ['سياسة', 'اجازات', 'موظفون']],
    ['zh', '员工休假政策', '每位员工每年有三十天假期。', ['休假', '假期', '休假政策', '三十天']],
    ['ja', '有給休暇の申請方法', 'パソコンで申請してください。', ['有給休暇', '申請', 'ハソコン', 'パソコン']],
    ['ko', '연차 휴가 신청 방법', '휴가를 신청하세요.', ['휴가', '신청', '연차']],
  ];
  for (const [language, title, text, questions] of texts)
    test(`${language}: words, other forms, without accents, parts`, async () => {
      const id = await page(title, `<p>${text}</p>`, { language });
      for (const q of [title, ...questions]) {
        const { data } = await search(q, { types: 'page' });
        const hits = data.map((hit) => `${hit.type} ${hit.id}`);
        assert.ok(hits.slice(0, 3).includes(id), `${q}: ${data.map((hit) => hit.title)}`);
      }
      assert.ok((await found(title, { language })).includes(id));
    });
  test('every translation is found, and shown in the language that is asked for', async () => {
    const id = (await call('POST', '/articles', { title: 'Canteen', html_content: '<p>Soup</p>' })).id;
    await call('PUT', `/articles/${id}`, { title: 'Kantine', html_content: '<p>Suppe</p>', language: 'de' });
    assert.deepEqual(await found('kantine suppe'), [`article ${id}`]);
    const shown = async (more: More) => (await search('canteen', more)).data[0]?.title;
    assert.deepEqual([await shown({}), await shown({ language: 'de-AT' })], ['Canteen', 'Kantine']);
    assert.deepEqual(await found('canteen', { language: 'fr' }), []);
  });
});

test('a slip of the pen is forgiven, and said', async () => {
  const id = await page('Reimbursement of expenses');
  for (const q of ['reimbursment', 'reimbursemnet', 'expnses']) {
    const { data, meta } = await search(q);
    assert.deepEqual([data[0]?.id, meta.did_you_mean], [Number(id.split(' ')[1]), meta.did_you_mean], q);
    assert.ok(['reimbursement', 'expenses'].includes(meta.did_you_mean ?? ''), `${q}: ${meta.did_you_mean}`);
  }
  assert.equal((await search('reimbursement')).meta.did_you_mean, null);
});

test('what was asked for is marked in a snippet that is safe to show', async () => {
  await page('Snippets', `<p>${'Before. '.repeat(60)}</p><p>A &lt;script&gt; of wombats &amp; others.</p>`);
  const [hit] = (await search('wombat')).data;
  assert.match(hit?.snippet ?? '', /^… .*A &lt;script&gt; of <mark>wombats<\/mark> &amp; others\.$/);
  await page('漢字', '<p>日本語の全文検索を試す。</p>');
  assert.equal((await search('全文検索')).data[0]?.snippet, '日本語の<mark>全文検索</mark>を試す。');
});

test('words in quotes stand side by side', async () => {
  const together = await page('Side', '<p>The yellow submarine sails.</p>');
  const apart = await page('Apart', '<p>A submarine, which is yellow.</p>');
  assert.deepEqual((await found('yellow submarine')).slice(0, 2), [together, apart]);
  const quoted = await search('"yellow submarine"');
  assert.deepEqual(
    quoted.data.map(({ id }) => `page ${id}`),
    [together],
  );
  assert.equal(quoted.meta.pagination.total_records, 1);
});

test('changes, moves, archives and deletes are followed, at once', async () => {
  const { id } = await call('POST', '/articles', { title: 'Platypus', html_content: '<p>first</p>' });
  const comment = await call('POST', `/articles/${id}/comments`, { text: 'platypusses are odd' });
  assert.deepEqual(await found('platypus'), [`article ${id}`, `comment ${comment.id}`]);
  await call('PUT', `/articles/${id}`, { title: 'Echidna', html_content: '<p>second</p>' });
  assert.deepEqual([await found('platypus', { types: 'article' }), await found('echidna')], [[], [`article ${id}`]]);
  await call('PUT', `/comments/${comment.id}`, { text: 'monotremes' });
  assert.deepEqual(await found('monotremes'), [`comment ${comment.id}`]);
  await call('DELETE', `/articles/${id}`);
  assert.deepEqual([await found('echidna'), await found('monotremes')], [[], []], 'archived');
  await call('POST', `/articles/${id}/unarchive`);
  assert.deepEqual([await found('echidna'), await found('monotremes')], [[`article ${id}`], [`comment ${comment.id}`]]);
  await call('DELETE', `/articles/${id}?permanent=1`);
  assert.deepEqual([await found('echidna'), await found('monotremes')], [[], []], 'deleted');
  for (const [type, path, name] of [
    ['goal', '/goals', 'title'],
    ['badge', '/badges', 'title'],
    ['team', '/teams', 'name'],
  ] as const) {
    const more = type === 'team' ? { team_type_id: 1 } : {};
    const own = (await call('POST', path, { [name]: 'Numbat', ...more })).id;
    await call('PUT', `${path}/${own}`, { [name]: 'Bilby', ...more });
    assert.deepEqual([await found('numbat'), await found('bilby')], [[], [`${type} ${own}`]]);
    await call('DELETE', `${path}/${own}`);
    assert.deepEqual(await found('bilby'), []);
  }
  const user = await call('POST', '/users', { email: 'dugong@northwind.example', first_name: 'Du', last_name: 'Gong' });
  assert.deepEqual(await found('dugong'), [`user ${user.id}`]);
  await call('DELETE', `/users/${user.id}`);
  assert.deepEqual(await found('dugong'), []);
});

test('filters: types, creator, space, days, language; and the newest first', async () => {
  const { id: space } = await call('POST', '/spaces', { name: 'Filters', visibility: 'public' });
  const inSpace = { audience: { type: 'spaces', spaces: [space] } };
  const old = await made('update', '/updates', { text: 'axolotl one', created_at: '2020-05-05T12:00:00Z', user_id: 3 });
  const young = await made('update', '/updates', { text: 'axolotl two axolotl', ...inSpace, user_id: 2 });
  const article = await made('article', '/articles', { title: 'Axolotl', html_content: '', ...inSpace });
  const of = async (more: More) => (await found('axolotl', more)).sort();
  assert.deepEqual(await of({}), [old, young, article].sort());
  assert.deepEqual(await of({ types: 'update' }), [old, young].sort());
  assert.deepEqual(await of({ creator_id: '3' }), [old]);
  assert.deepEqual(await of({ creator_email: 'BEN.lindqvist@northwind.example' }), [young]);
  assert.deepEqual(await of({ creator_email: 'nobody@northwind.example' }), []);
  assert.deepEqual(await of({ space_ids: String(space) }), [young, article].sort());
  assert.deepEqual(await of({ endDate: '2020-05-05' }), [old]);
  assert.deepEqual(await of({ startDate: '2020-05-06', types: 'update' }), [young]);
  assert.deepEqual(await found('axolotl', { sort: 'newest' }), [article, young, old]);
  assert.deepEqual((await found('', { space_ids: String(space) })).slice(0, 2), [article, young], 'without words');
});

test('pages of one search neither repeat nor miss anything', async () => {
  for (let n = 0; n < 55; n++) await call('POST', '/updates', { text: `capybara number ${n}` });
  const all = await found('capybara', { take: '300' });
  assert.equal(all.length, 55);
  const paged: string[] = [];
  for (let skip = 0; ; skip += 12) {
    const { data, meta } = await search('capybara', { skip: String(skip), take: '12' });
    assert.equal(meta.pagination.total_records, 55);
    paged.push(...data.map(({ type, id }) => `${type} ${id}`));
    if (meta.pagination.next_page === null) break;
  }
  assert.deepEqual(paged, all);
  assert.deepEqual(await found('capybara', { skip: '55' }), []);
});

test('names are suggested while somebody types', async () => {
  const suggested = async (q: string, more: More = {}) => {
    const { status, body } = await person.call('GET', `/v1/search/suggest?${new URLSearchParams({ q, ...more })}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ type, title }: Hit) => `${type} ${title}`) as string[];
  };
  assert.deepEqual(await suggested('dmi'), ['user Dmitri Petrov']);
  assert.deepEqual(await suggested('dmitri pe'), ['user Dmitri Petrov']);
  assert.ok((await suggested('w')).includes('page Welcome to Northwind'));
  assert.deepEqual(await suggested('handb', { types: 'space' }), []);
  assert.deepEqual(await suggested('!'), []);
});

test('bad input is a 400 that names the field; odd questions find nothing', async () => {
  const refused = async (query: string) => {
    const { status, body } = await atrium.call('GET', `/v1/search?${query}`);
    return [status, body.meta.errors?.[0]?.path];
  };
  assert.deepEqual(await refused('q=x&types=planet'), [400, 'types[0]']);
  assert.deepEqual(await refused('q=x&sort=best'), [400, 'sort']);
  assert.deepEqual(await refused('q=x&space_ids=abc'), [400, 'space_ids[0]']);
  assert.deepEqual(await refused('q=x&startDate=2026-02-01&endDate=2026-01-01'), [400, 'endDate']);
  assert.deepEqual(await refused(`q=${'x'.repeat(501)}`), [400, 'q']);
  for (const q of ['?!', '"', '%', '\\', "'; drop table x", '​', '🦘', 'a'.repeat(500), 'ا', '漢'.repeat(500)])
    assert.ok(Array.isArray((await search(q)).data), q);
  const pagesOnly = await atrium.keyWith(['search.*.read', 'pages.*.read']);
  const only: Call = (method, path, options) => atrium.call(method, path, { key: pagesOnly, ...options });
  assert.deepEqual(new Set((await search('berlin', {}, only)).data.map(({ type }) => type)).size <= 1, true);
  const reply = await atrium.call('GET', '/v1/search?q=x&types=user', { key: pagesOnly });
  assert.deepEqual([reply.status, reply.body.meta.required_scopes], [403, ['users.*.read']]);
});

test('documents are found by the text inside their files', async () => {
  const form = new FormData();
  form.append('label', 'Price list');
  form.append('file', new Blob(['Pangolin prices of this year\n'], { type: 'text/plain' }), 'prices.txt');
  const { status, body } = await atrium.call('POST', '/v1/documents', { form });
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(await found('prices.txt'), [`document ${body.data.id}`]);
  await atrium.drain();
  const [hit] = (await search('pangolins')).data;
  assert.deepEqual([hit?.type, hit?.id], ['document', body.data.id]);
  assert.match(hit?.snippet ?? '', /<mark>Pangolin<\/mark> prices/);
  const [kept = {}] = await atrium.rows('select refused, due_at from search_files');
  assert.deepEqual(kept, { refused: null, due_at: null });
  await call('DELETE', `/documents/${body.data.id}`);
  await atrium.drain();
  assert.deepEqual(
    [await found('pangolin'), await atrium.rows('select from search_files')],
    [[], []],
    'its text is gone',
  );
});

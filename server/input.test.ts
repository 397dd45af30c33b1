// Whatever a client sends: three formats, one outcome; what cannot be read is a 4xx envelope and leaves nothing behind.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { request as httpRequest } from 'undici';
import { type CallOptions, type Reply, startAtrium, world } from './testing/atrium.ts';

const atrium = await startAtrium();
const upload = (options: CallOptions, path = '/v1/pages') => atrium.call('POST', path, options);
const pages = () =>
  atrium.rows<{ count: number }>('select count(*) as count from pages').then(([row]) => row?.count ?? 0);
const refused = (reply: Reply, status: number | number[], what: string) => {
  assert.ok([status].flat().includes(reply.status), `${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
  assert.deepEqual(
    [reply.body.data, reply.body.status, typeof reply.body.code, typeof reply.body.message],
    [null, 'error', 'string', 'string'],
    what,
  );
  assert.ok(reply.body.meta.errors.length > 0, what);
  assert.equal(reply.body.meta.request_id, reply.headers.get('x-request-id'), what);
};

describe('the three formats', () => {
  test('a thousand creates in each of them make the same rows', async () => {
    const flag = (n: number) => ['0', '1', 'true', 'false'][n % 4] ?? '0';
    const fields = (n: number, format: number): Record<string, string> => ({
      title: `Nr ${n} “quotes” & ünïcödé 🎉 + % ; = "`,
      html_content: `<p>${'x'.repeat(n)} &amp; é\r\n</p>`,
      subtitle: n % 3 === 0 ? '' : ` ${n} `,
      external_id: String(1_000_000 * (format + 1) + n),
      is_draft: flag(n),
      is_standalone: flag(n >> 2),
      space_id: n % 2 === 0 ? '1' : '',
      page_edition: n % 5 === 0 ? 'builder' : 'classic',
    });
    const send = async (n: number) => {
      const replies = await Promise.all([
        upload({ json: { ...fields(n, 0), space_id: n % 2 === 0 ? 1 : null } }),
        upload({ form: fields(n, 1) }),
        upload({ urlencoded: new URLSearchParams(fields(n, 2)).toString() }),
      ]);
      for (const reply of replies) assert.equal(reply.status, 201, JSON.stringify(reply.body));
    };
    for (let n = 0; n < 1000; n += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => send(n + i)));
    const [outcome] = await atrium.rows<{ shapes: number; rows: number }>(`
      select count(distinct shape) as shapes, count(*) as rows from (
        select external_id / 1000000 as format, md5(string_agg(
          (to_jsonb(p) - array['id', 'external_id', 'created_at', 'updated_at', 'sequence'])::text,
          '|' order by external_id)) as shape, count(*)
        from pages p
        where external_id >= 1000000
        group by 1 having count(*) = 1000) f`);
    assert.deepEqual(outcome, { shapes: 1, rows: 3 });
  });

  test('lists and objects are written with brackets, with or without numbers, or by repeating the name', async () => {
    for (const body of [
      'audience[type]=teams&audience[teams][]=1&audience[teams][]=2',
      'audience[teams][1]=2&audience[teams][0]=1&audience[type]=teams',
      'audience[type]=teams&audience[teams]=1&audience[teams]=2',
    ]) {
      const reply = await upload({ urlencoded: `title=T&html_content=&${body}` });
      assert.deepEqual(
        reply.body.data?.audience.teams.map(({ id }: { id: number }) => id),
        [1, 2],
        body,
      );
    }
    assert.equal(
      (await atrium.call('PATCH', '/v1/teams/3/users', { urlencoded: 'ids_to_add=1' })).body.meta.users_added,
      1,
    );
  });

  test('a value that cannot be read is named by its path, as the client wrote it', async () => {
    const errors = (reply: Reply) => reply.body.meta.errors.map(({ path }: { path: string }) => path);
    const users = [
      { external_id: 'E-1001', is_frontline: true, has_access: true },
      { external_id: 7, is_frontline: 'maybe', has_access: null },
    ];
    assert.deepEqual(errors(await atrium.call('PUT', '/v1/users/frontline-status', { json: { users } })), [
      'users[1].is_frontline',
      'users[1].has_access',
    ]);
    assert.deepEqual(errors(await upload({ urlencoded: 'html_content=&audience[type]=teams&audience[teams][0]=x' })), [
      'title',
      'audience.teams[0]',
    ]);
    assert.deepEqual(
      errors(await upload({ json: { title: null, html_content: 5, external_id: '12x', is_draft: 2 } })),
      ['title', 'is_draft', 'external_id'],
    );
  });

  test('null stays null and "" stays "", and a number is text where text is wanted', async () => {
    const { body } = await atrium.call('POST', '/v1/users', {
      json: {
        email: 'n@x.example',
        first_name: 'N',
        last_name: 'L',
        external_id: 12345,
        display_name: null,
        job_title: '',
        hire_date: null,
      },
    });
    assert.deepEqual(
      [body.data.external_id, body.data.display_name, body.data.job_title, body.data.hire_date],
      ['12345', null, '', null],
    );
    const form = await atrium.call('PUT', `/v1/users/${body.data.id}`, {
      form: { email: 'n@x.example', first_name: 'N', last_name: 'L', hire_date: '', display_name: '' },
    });
    assert.deepEqual([form.body.data.hire_date, form.body.data.display_name], [null, '']);
  });

  test('an action takes an empty body of any type, and Idempotency-Key has no effect but a warning', async () => {
    for (const raw of [
      { body: '', type: 'application/json' },
      { body: '{}', type: 'application/json' },
      { body: '', type: 'application/x-www-form-urlencoded' },
    ]) {
      assert.equal((await atrium.call('POST', '/v1/spaces/1/archive', { raw })).status, 200, raw.type);
    }
    const twice = await Promise.all(
      [1, 2].map(() => upload({ json: { title: 'Twice', html_content: '' }, headers: { 'idempotency-key': 'k' } })),
    );
    assert.notEqual(twice[0]?.body.data.id, twice[1]?.body.data.id);
    assert.ok(twice[0]?.body.meta.warnings.some((text: string) => text.includes('Idempotency-Key')));
  });
});

describe('what cannot be read', () => {
  const part = (name: string, value: Buffer | string, headers = '') =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]);
  const multipart = (...parts: Buffer[]) => ({
    body: Buffer.concat([...parts, Buffer.from('--b--\r\n')]),
    type: 'multipart/form-data; boundary=b',
  });
  const title = part('title', 'T');
  const json = 'application/json';
  const form = 'application/x-www-form-urlencoded';
  const deep = (open: string, close: string) =>
    `{"title":"T","html_content":"","x":${open.repeat(100_000)}1${close.repeat(100_000)}}`;
  const cases: [name: string, raw: { body: Buffer | string; type: string }, status: number | number[]][] = [
    ['broken JSON', { body: '{"title": ', type: json }, 400],
    ['JSON that is no object', { body: '[1, 2]', type: json }, 400],
    ['ten megabytes of JSON', { body: `{"title":"${'x'.repeat(10_000_000)}"}`, type: json }, 413],
    ['ten megabytes of form', { body: `title=${'x'.repeat(10_000_000)}`, type: form }, 413],
    ['ten megabytes of multipart text', multipart(part('title', 'x'.repeat(10_000_000))), 413],
    ['a null byte', { body: '{"title":"a\\u0000b","html_content":""}', type: json }, 400],
    ['a raw null byte in a form', { body: 'title=a%00b&html_content=', type: form }, 400],
    ['a null byte in multipart', multipart(part('title', 'a\0b'), part('html_content', '')), 400],
    ['a lone surrogate', { body: '{"title":"\\ud800","html_content":""}', type: json }, 400],
    ['invalid UTF-8 in JSON', { body: Buffer.from('7b227469746c65223a22ff227d', 'hex'), type: json }, 400],
    ['invalid UTF-8 in a form', { body: 'title=%ff&html_content=', type: form }, 400],
    ['invalid UTF-8 in multipart', multipart(part('title', Buffer.from([0xff, 0xfe])), part('html_content', '')), 400],
    ['UTF-16 by charset', { body: Buffer.from('{}', 'utf16le'), type: `${json}; charset=utf-16` }, 415],
    ['latin1 by charset', { body: 'title=%e4', type: `${form}; charset=iso-8859-1` }, 415],
    [
      'a multipart field in another charset',
      multipart(part('title', 'T', 'Content-Type: text/plain; charset=iso-8859-1\r\n')),
      415,
    ],
    ['a type nobody parses', { body: '<title/>', type: 'application/xml' }, 415],
    [
      'a number beyond the exact ones',
      { body: '{"title":"T","html_content":"","external_id":9007199254740993}', type: json },
      400,
    ],
    ['a number beyond all', { body: '{"title":"T","html_content":"","external_id":1e400}', type: json }, 400],
    [
      'twenty thousand fields',
      { body: Array.from({ length: 20_000 }, (_, n) => `f${n}=1`).join('&'), type: form },
      413,
    ],
    [
      'two hundred fields of no endpoint',
      { body: Array.from({ length: 201 }, (_, n) => `f${n}=1`).join('&'), type: form },
      413,
    ],
    ['JSON that is nested deeply', { body: deep('[', ']'), type: json }, 400],
    ['JSON of a hundred thousand lists', { body: `{"x":[${'[],'.repeat(100_000)}1]}`, type: json }, 413],
    ['null for an object', { body: 'null', type: json }, 400],
    ['HTML that is nested deeply', { body: `title=T&html_content=${'<b>'.repeat(257)}`, type: form }, 400],
    ['the same in a long document', { body: `title=T&html_content=${'<b>'.repeat(20_000)}`, type: form }, 400],
    ['a name of many brackets', { body: `title${'[a]'.repeat(50)}=1`, type: form }, 400],
    ['an object where text is wanted', { body: 'title[a]=1&html_content=', type: form }, 400],
    ['multipart without a boundary', { body: 'x', type: 'multipart/form-data' }, 400],
    ['multipart whose boundary never comes', { body: 'hello', type: 'multipart/form-data; boundary=b' }, 400],
    [
      'multipart without its last boundary',
      {
        body: Buffer.concat([title, Buffer.from('--b\r\nContent-Disposition: form-data; name="html')]),
        type: 'multipart/form-data; boundary=b',
      },
      400,
    ],
    [
      'multipart with a part without a name',
      multipart(Buffer.from('--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n')),
      400,
    ],
    [
      'multipart with a part that is no form-data',
      multipart(Buffer.from('--b\r\nContent-Type: text/plain\r\n\r\nx\r\n')),
      400,
    ],
    ['multipart with a name of a thousand letters', multipart(part('n'.repeat(1000), 'x')), 400],
    [
      'a file where text is wanted',
      multipart(
        part('title', 'x').subarray(0, 0),
        Buffer.from('--b\r\nContent-Disposition: form-data; name="title"; filename="a.txt"\r\n\r\nx\r\n'),
        part('html_content', ''),
      ),
      400,
    ],
  ];
  for (const [name, raw, status] of cases) {
    test(`${name} is refused with an envelope, and nothing is stored`, async () => {
      const before = await pages();
      refused(await upload({ raw }), status, name);
      assert.equal(await pages(), before);
    });
  }

  test('fields a contract does not have do no harm, however they are called or nested', async () => {
    for (const body of [
      deep('[', ']'),
      deep('{"a":', '}'),
      '{"title":"T","html_content":"","__proto__":{"is_draft":true},"constructor":{"prototype":{}}}',
      '{"title":"A","title":"T","html_content":""}',
    ]) {
      const reply = await upload({ raw: { body, type: json } });
      assert.ok([201, 400].includes(reply.status), JSON.stringify(reply.body).slice(0, 200));
      if (reply.status === 201) assert.deepEqual([reply.body.data.title, reply.body.data.is_draft], ['T', 0]);
    }
    assert.equal(({} as Record<string, unknown>).is_draft, undefined);
  });

  test('a byte order mark is passed over; forms say yes and no in any case', async () => {
    for (const [type, body] of [
      [json, '{"title":"Marked","html_content":"","is_standalone":true}'],
      [form, 'title=Marked&html_content=&is_standalone=True'],
      [form, 'title=Marked&html_content=&is_standalone=TRUE'],
    ] as const) {
      const reply = await upload({ raw: { body: `\ufeff${body}`, type } });
      assert.deepEqual([reply.body.data?.title, reply.body.data?.is_standalone], ['Marked', 1], body);
    }
  });

  test('a long document is made safe as a short one is, and its text is without markup', async () => {
    const html = '<p onclick="x()">One</p><script>no</script><ul><li>Two</li></ul>';
    const post = async (times: number) =>
      (await atrium.call('POST', '/v1/updates', { json: { html: html.repeat(times) } })).body.data;
    const [short, long] = [await post(1), await post(1000)];
    assert.deepEqual(short.text, 'One\nTwo');
    assert.deepEqual([long.html, long.text], [short.html.repeat(1000), `${'One\nTwo\n'.repeat(999)}One\nTwo`]);
  });

  test('queries that cannot be read are refused, with the name of the parameter', async () => {
    for (const query of [
      'skip[]=1',
      'take=1&take=2',
      'skip=%ff',
      'take=',
      'skip=1e3',
      'skip=99999999999999999999',
      'creator_id=%00',
      'created_after=yesterday',
      'created_after=0000-01-01T00:00:00Z',
      'created_after=2024-01-01T00:00:00%2B16:00',
      'created_after=2024-01-01T00:00:00-23:59',
      'sign_url=perhaps',
      'language=%ZZ',
      'language=%',
      'space_ids=',
      'in_spaces=',
      '%ZZ=1',
      'space_ids=1,x',
      'language=%00',
    ]) {
      const reply = await atrium.call('GET', `/v1/pages?${query}`);
      refused(reply, 400, query);
      const [{ path }] = reply.body.meta.errors;
      assert.ok(query.startsWith(path.replace(/\[\d+\]$/, '')), `${query}: ${JSON.stringify(path)}`);
    }
    refused(await atrium.call('GET', '/v1/users/by-external-id/%ff'), 400, 'path');
    refused(await atrium.call('GET', `/v1/users/by-external-id/${'x'.repeat(2000)}`), [400, 404], 'long path');
    refused(await atrium.call('GET', '/v1/nothing/here'), 404, 'unknown path');
  });

  test('two hundred such requests leave the memory as it was', async () => {
    const big = { body: `{"title":"${'x'.repeat(10_000_000)}"}`, type: json };
    const flood = async (count: number) => {
      for (let n = 0; n < count; n += 10)
        await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            upload({ raw: n % 20 === 0 ? big : (cases[(n + i) % cases.length]?.[1] ?? big) }),
          ),
        );
    };
    await flood(40);
    const before = process.memoryUsage.rss();
    await flood(200);
    const grown = process.memoryUsage.rss() - before;
    assert.ok(grown < 150 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more`);
  });
});

describe('files', async () => {
  const small = await startAtrium({ file_bytes_max: 2_000_000, files_max: 3 });
  const uploads = () => readdirSync(small.services.config.upload_folder, { recursive: true });
  const head = '89504e470d0a1a0a0000000d494844520000000100000001080600000000000000';
  const png = Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(1_500_000)]);
  const photo = (bytes: Buffer<ArrayBuffer>, more = 0) => {
    const data = new FormData();
    for (let n = 0; n <= more; n++) data.append(n === 0 ? 'image' : `extra${n}`, new Blob([bytes]), 'p.png');
    return small.call('PUT', '/v1/users/2/profile-photo', { form: data });
  };
  test('a file that was streamed to disk arrives whole, and its copy is gone when the answer is there', async () => {
    const reply = await photo(png);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const shown = await fetch(small.url + new URL(reply.body.data.avatar_url).pathname);
    assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png);
    assert.deepEqual(uploads(), []);
  });
  test('a file over the limit, or too many, is a 413 and leaves neither file nor change', async () => {
    const before = (await small.call('GET', '/v1/users/2')).body.data;
    refused(await photo(Buffer.concat([png, png])), 413, 'too large');
    refused(await photo(png.subarray(0, 100) as Buffer<ArrayBuffer>, 4), 413, 'too many, buffered');
    refused(await photo(png, 4), 413, 'too many, streamed');
    assert.deepEqual((await small.call('GET', '/v1/users/2')).body.data, before);
    assert.deepEqual(uploads(), []);
  });
  test('300 MB sent to it are refused with an answer, in bounded memory', async () => {
    const before = process.memoryUsage.rss();
    let peak = before;
    const reply = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(`${small.url}/v1/users/2/profile-photo`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${world.northwind.api_key}`,
          'service-id': '1',
          'content-type': 'multipart/form-data; boundary=b',
        },
      });
      sent.on('response', async (response) =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString() }),
      );
      sent.on('error', reject);
      sent.write('--b\r\nContent-Disposition: form-data; name="image"; filename="big.png"\r\n\r\n');
      const chunk = Buffer.alloc(1024 * 1024, 1);
      let left = 300;
      const more = () => {
        while (left-- > 0) {
          peak = Math.max(peak, process.memoryUsage.rss());
          if (!sent.write(chunk)) return void sent.once('drain', more);
        }
        sent.end('\r\n--b--\r\n');
      };
      more();
    });
    assert.deepEqual([reply.status, JSON.parse(reply.text).code], [413, 'payload_too_large']);
    assert.ok(peak - before < 120 * 1024 * 1024, `${Math.round((peak - before) / 1024 / 1024)} MiB more`);
    assert.deepEqual(uploads(), []);
  });
  test('an upload that is cut off leaves no file', async () => {
    const { port, hostname } = new URL(small.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) =>
      small.http.server.once('connection', (server) => server.once('close', resolve)),
    );
    socket.write(
      `PUT /v1/users/2/profile-photo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.northwind.api_key}\r\n` +
        'Service-Id: 1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n' +
        '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n',
    );
    socket.write(png, () => socket.destroy());
    await closed;
    const done = async (): Promise<void> =>
      uploads().length > 0 ? new Promise((resolve) => setImmediate(resolve)).then(done) : undefined;
    await done();
  });
});

describe('the protocol', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const { port, hostname } = new URL(atrium.url);
      const socket = connect(Number(port), hostname);
      socket.on('error', reject);
      socket.end(text);
      socket.toArray().then((chunks) => resolve(Buffer.concat(chunks).toString()), reject);
    });
  test('whatever cannot be served as it is asked for gets the envelope and a request id', async () => {
    for (const [text, status, allow] of [
      ['hello\r\n\r\n', 400],
      ['GET /v1/users HTTP/1.1\r\n\r\n', 400],
      ['GET /v1/users HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      ['GET /v1/users HTTP/1.1\r\nHost: a b/c\r\n\r\n', 400],
      ['GET /v1/users HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n', 417],
      ['OPTIONS /v1/users HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'GET, HEAD, POST'],
      ['TRACE /v1/users/1 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'GET, HEAD, PUT, DELETE'],
      ['PROPFIND /v1/users HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'GET, HEAD, POST'],
      ['BREW /v1/users?x=1 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'GET, HEAD, POST'],
      ['BREW /coffee HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const [head = '', body = ''] = (await raw(text)).split('\r\n\r\n');
      assert.ok(head.startsWith(`HTTP/1.1 ${status}`), `${text}: ${head}`);
      const { status: outcome, meta } = JSON.parse(body);
      assert.deepEqual([outcome, /x-request-id: (.*)/i.exec(head)?.[1]], ['error', meta.request_id]);
      if (allow) assert.equal(/allow: (.*)/i.exec(head)?.[1], allow);
    }
  });
  test('bodies in gzip, deflate and brotli are read, as far as the limits let out; others are a 415', async () => {
    const packed = (encoding: string, bytes: Buffer, type = 'application/json') =>
      upload({ raw: { body: bytes, type }, headers: { 'content-encoding': encoding } });
    const page = Buffer.from(JSON.stringify({ title: 'Packed', html_content: '<p>x</p>'.repeat(1000) }));
    for (const [encoding, pack] of Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }))
      assert.equal((await packed(encoding, pack(page))).body.data?.title, 'Packed', encoding);
    const before = await pages();
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"title":"'), Buffer.alloc(200_000_000, 'x')]));
    refused(await packed('gzip', bomb), 413, 'two hundred megabytes');
    refused(await packed('gzip', page), 400, 'not packed at all');
    refused(await packed('gzip', gzipSync(page).subarray(0, -10)), 400, 'cut off');
    const unknown = await packed('zstd', page);
    refused(unknown, 415, 'an encoding nobody reads');
    assert.equal(unknown.headers.get('accept-encoding'), 'gzip, br, deflate');
    refused(await packed('gzip', gzipSync(page), 'multipart/form-data; boundary=b'), 415, 'a packed form');
    assert.equal(await pages(), before);
  });
  test('a Host that the organisation does not have comes back in no answer', async () => {
    const get = (host: string) => atrium.call('GET', '/v1/users?take=1', { headers: { host } });
    const next = async (host: string) => new URL((await get(host)).body.meta.pagination.next_page).origin;
    const [own] = await atrium.rows<{ domain: string; url: string }>(
      'select domain, web_url as url from organisations where id = 1',
    );
    assert.equal(await next('evil.example'), own?.url);
    assert.equal(await next(own?.domain ?? ''), `http://${own?.domain}`);
    assert.equal(await next('localhost:4000'), 'http://localhost:4000');
  });
  test('long answers are compressed for who takes that, but none that holds a secret', async () => {
    const list = await atrium.call('GET', '/v1/pages?take=20');
    const packed = async (encoding: string, path = '/v1/pages?take=20') => {
      const answer = await httpRequest(atrium.url + path, {
        headers: { authorization: `Bearer ${world.northwind.api_key}`, 'service-id': '1', 'accept-encoding': encoding },
      });
      return { headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
    };
    for (const [encoding, unpack] of Object.entries({ gzip: gunzipSync, br: brotliDecompressSync })) {
      const { headers, bytes } = await packed(`${encoding};q=0.5`);
      assert.deepEqual([headers['content-encoding'], headers.vary], [encoding, 'Origin, Accept-Encoding']);
      assert.deepEqual(JSON.parse(unpack(bytes).toString()).data, list.body.data);
    }
    assert.equal((await packed('gzip;q=0, identity')).headers['content-encoding'], undefined);
    assert.equal((await packed('gzip', '/v1/goals/1')).headers['content-encoding'], undefined);
  });
  test('what was read is a 304 while it stays the same; who writes what has changed gets a 412', async () => {
    const made = await upload({ json: { title: 'One', html_content: '<p>1</p>' } });
    const path = made.headers.get('location') ?? '';
    assert.equal(path, `/v1/pages/${made.body.data.id}`);
    const etag = (await atrium.call('GET', path)).headers.get('etag') ?? '';
    const again = await atrium.call('GET', path, { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.body], [304, '']);
    const put = (title: string, expected: string) =>
      atrium.call('PUT', path, { json: { title, html_content: '' }, headers: { 'if-match': expected } });
    const [first, second] = await Promise.all([put('Two', etag), put('Three', etag)]);
    assert.deepEqual([first?.status, second?.status].sort(), [200, 412]);
    refused(await put('Four', etag), 412, 'late');
    refused(await atrium.call('DELETE', path, { headers: { 'if-match': etag } }), 412, 'a late DELETE');
    const now = (await atrium.call('GET', path, { headers: { 'if-none-match': etag } })).headers.get('etag') ?? '';
    assert.equal((await atrium.call('DELETE', path, { headers: { 'if-match': `"x", ${now}` } })).status, 200);
    const headers = { 'if-match': etag };
    refused(await atrium.call('PATCH', '/v1/teams/2/users', { json: { ids_to_add: [1] }, headers }), 412, 'no ETag');
  });
  test('lists say where their other pages are', async () => {
    const { headers } = await atrium.call('GET', '/v1/users?skip=2&take=2&email=');
    const first = (await atrium.call('GET', '/v1/users?take=2')).headers.get('link');
    assert.equal(first, '</v1/users?take=2&skip=2>; rel="next"');
    assert.ok(!headers.get('link')?.includes('//'));
  });
  test('answers of the interface are not stored by caches; X-Dry-Run is 1 or 0', async () => {
    assert.equal((await atrium.call('GET', '/v1/users')).headers.get('cache-control'), 'no-store');
    const before = await pages();
    const reply = await upload({ json: { title: 'T', html_content: '' }, headers: { 'x-dry-run': 'perhaps' } });
    refused(reply, 400, 'dry run');
    assert.equal(reply.body.meta.errors[0].path, 'X-Dry-Run');
    assert.equal(await pages(), before);
  });
  test('a misspelt name is named where what it should say is missing', async () => {
    const reply = await atrium.call('PATCH', '/v1/spaces/1/users', { json: { ids_to_ad: [1] } });
    refused(reply, 400, 'nothing to do');
    assert.ok(reply.body.meta.errors.some(({ path }: { path: string }) => path === 'ids_to_ad'));
  });
  test('absent, invisible and foreign rows get the same body', async () => {
    const { api_key } = (
      await atrium.call('POST', '/v1/admin/apps/2/keys', { json: { name: 'Public', scopes: ['spaces.public.read'] } })
    ).body.data;
    const replies = [
      await atrium.call('GET', '/v1/spaces/999'),
      await atrium.call('GET', '/v1/spaces/4', { key: api_key }),
      await atrium.call('GET', '/v1/spaces/1', { key: world.contoso.api_key, service_id: 2 }),
    ];
    const bodies = replies.map(({ status, body }) => ({ status, ...body, meta: { ...body.meta, request_id: '' } }));
    assert.deepEqual(bodies[1], bodies[0]);
    assert.deepEqual(bodies[2], bodies[0]);
  });
  test(`HEAD works where GET does, answers are JSON whatever Accept says, \
and every one has its request id`, async () => {
    const head = await atrium.call('HEAD', '/v1/users');
    assert.deepEqual([head.status, head.body], [200, '']);
    const reply = await atrium.call('GET', '/v1/users', { headers: { accept: 'text/html' } });
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(new Set([head, reply].map(({ headers }) => headers.get('x-request-id'))).size, 2);
  });
  test('with another brand its header works, and the Service one still does', async () => {
    const acme = await startAtrium({ brand: 'Acme' });
    for (const name of ['Acme-Id', 'Service-Id', 'service-id'])
      assert.equal(
        (await acme.call('GET', '/v1/users', { service_id: null, headers: { [name]: '1' } })).status,
        200,
        name,
      );
    refused(await acme.call('GET', '/v1/users', { service_id: 'one' }), 400, 'no integer');
  });
  test('while the database is away, requests get a 503 with Retry-After; afterwards they work again', async () => {
    const target = await startAtrium();
    const name = new URL(target.database_url).pathname.slice(1);
    const limit = async (connections: number) => {
      await atrium.rows(`alter database ${name} with allow_connections ${connections > 0}`);
      if (connections === 0)
        await atrium.rows('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    };
    await limit(0);
    try {
      const reply = await target.call('GET', '/v1/users');
      refused(reply, 503, 'away');
      assert.equal(reply.headers.get('retry-after'), '1');
      assert.equal((await target.call('GET', '/readyz')).status, 503);
    } finally {
      await limit(1);
    }
    assert.equal((await target.call('GET', '/v1/users')).status, 200);
  });
});

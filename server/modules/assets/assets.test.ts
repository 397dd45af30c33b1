import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import pg from 'pg';
import sharp from 'sharp';
import { routes } from '../../modules.ts';
import { type Reply, signIn, startAtrium } from '../../testing/atrium.ts';
import { scale } from './quota.ts';

const atrium = await startAtrium();
const { services } = atrium;
/** Signed addresses carry the organisation's domain; the test server is elsewhere. */
const at = (url: string) => atrium.url + url.slice(url.indexOf('/', 'https://'.length));
const stored = () =>
  readdirSync(`${services.config.data_dir}/files`, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;
const rows = async () => (await atrium.rows<{ n: number }>('select count(*)::int as n from assets'))[0]?.n ?? 0;
const png = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#aa3300' } })
  .png()
  .toBuffer();
const jpeg = await sharp({ create: { width: 40, height: 80, channels: 3, background: '#0033aa' } })
  .jpeg()
  .withMetadata({ orientation: 6 })
  .toBuffer();
// The first bytes of an MP4 and noise: what a type is told by.
const mp4 = (byte_size: number) =>
  Buffer.concat([Buffer.from('0000001c667479706d703432000000006d70343269736f6d', 'hex'), randomBytes(byte_size - 24)]);
const file = (bytes: Buffer, type: string) => new Blob([new Uint8Array(bytes)], { type });
const formOf = (
  fields: Record<string, string>,
  files: [name: string, bytes: Buffer, type: string, file_name: string][],
) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes, type, file_name] of files) form.append(name, file(bytes, type), file_name);
  return form;
};
/** Fields of a body that take files, as a form names them. */
const fileFields = (body: unknown) =>
  Object.entries((body as { properties?: Record<string, object> } | undefined)?.properties ?? {}).flatMap(
    ([name, schema]) => {
      const text = JSON.stringify(schema);
      return text.includes('"x-file":true') ? [text.includes('"array"') ? `${name}[0]` : name] : [];
    },
  );
const announce = async (bytes: Buffer, more: object = {}) =>
  (
    await atrium.call('POST', '/v1/assets/upload-url', {
      json: { file_name: 'a.mp4', content_type: 'video/mp4', byte_size: bytes.length, ...more },
    })
  ).body.data;
const put = (url: string, body: Buffer) =>
  fetch(at(url), { method: 'PUT', body: new Uint8Array(body), headers: { 'content-type': 'video/mp4' } });
const upload = async (bytes: Buffer, more: object = {}) => {
  const announced = await announce(bytes, more);
  assert.equal((await put(announced.upload_url, bytes)).status, 204);
  return (await atrium.call('POST', `/v1/assets/${announced.asset_id}/confirm`)).body.data;
};

describe('upload, confirm, read', () => {
  test('a file goes up directly, is confirmed by size, hash and type, and comes back the same', async () => {
    const bytes = mp4(300_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const asset = await upload(bytes, { sha256 });
    assert.deepEqual(
      [asset.state, asset.byte_size, asset.sha256, asset.reference],
      ['ready', 300_000, sha256, `asset://${asset.id}`],
    );
    const read = await fetch(at(asset.url));
    assert.deepEqual(
      [read.status, read.headers.get('content-type'), read.headers.get('x-content-type-options')],
      [200, 'video/mp4', 'nosniff'],
    );
    assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
    assert.deepEqual((await atrium.call('GET', `/v1/assets/${asset.id}`)).body.data, asset);
    assert.deepEqual((await atrium.call('POST', `/v1/assets/${asset.id}/confirm`)).body.data, asset, 'again');
    assert.deepEqual((await atrium.call('GET', `/v1/assets?ids[]=${asset.id}`)).body.data, [asset]);
  });

  test('a wrong size or hash is a 400 with its field, and row and object are gone', async () => {
    const before = [await rows(), stored()];
    const bytes = mp4(5000);
    const refused = async (more: object, sent: Buffer, path: string) => {
      const { asset_id, upload_url } = await announce(bytes, more);
      const answer = await put(upload_url, sent);
      if (answer.status === 204) {
        const reply = await atrium.call('POST', `/v1/assets/${asset_id}/confirm`);
        assert.deepEqual([reply.status, reply.body.code, reply.body.meta.errors[0].path], [400, 'file_invalid', path]);
        assert.equal((await atrium.call('GET', `/v1/assets/${asset_id}`)).status, 404);
      } else {
        assert.equal(answer.status, 400);
        const again = await atrium.call('POST', `/v1/assets/${asset_id}/confirm`);
        assert.deepEqual([again.status, again.body.code], [409, 'upload_missing']);
        await atrium.call('DELETE', `/v1/assets/${asset_id}`);
      }
    };
    await refused({ sha256: '0'.repeat(64) }, bytes, 'sha256');
    await refused({ byte_size: 5001 }, bytes, 'byte_size');
    await refused({ byte_size: 4999 }, bytes, 'byte_size');
    assert.deepEqual([await rows(), stored()], before);
  });

  test('an upload is what its bytes are, whatever was announced', async () => {
    assert.equal(
      (await upload(mp4(5000), { content_type: 'image/png', file_name: 'a.png' })).content_type,
      'video/mp4',
    );
    const picture = await upload(png, { content_type: 'application/octet-stream' });
    assert.deepEqual([picture.content_type, picture.width, picture.height], ['image/png', 900, 300]);
  });

  test('an address takes one upload, for an hour; what nobody confirms is swept after a day', async () => {
    const bytes = mp4(2000);
    const { asset_id, upload_url } = await announce(bytes);
    assert.equal((await put(upload_url.replace(/signature=../, 'signature=00'), bytes)).status, 404);
    assert.equal((await put(upload_url.replace(/expires=\d/, 'expires=9'), bytes)).status, 404);
    assert.equal((await put(upload_url, bytes)).status, 204);
    assert.equal((await put(upload_url, bytes)).status, 409);
    const late = await announce(bytes);
    const files = stored();
    atrium.clock.advance(3_601_000);
    assert.equal((await put(late.upload_url, bytes)).status, 404);
    atrium.clock.advance(24 * 3_600_000);
    await atrium.drain();
    assert.equal(stored(), files - 1);
    for (const id of [asset_id, late.asset_id])
      assert.equal((await atrium.call('GET', `/v1/assets/${id}`)).status, 404);
  });

  test('an upload that breaks off leaves no file', async () => {
    const { asset_id, upload_url } = await announce(mp4(1_000_000));
    const files = stored();
    const { pathname, search } = new URL(upload_url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(atrium.url).port), '127.0.0.1', () => {
        socket.write(
          `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\nContent-Length: 1000000\r\n\r\n`,
        );
        socket.write(mp4(200_000), () => setImmediate(() => socket.destroy()));
      });
      atrium.http.server.once('request', (request) => request.once('close', () => resolve()));
    });
    const reply = await atrium.call('POST', `/v1/assets/${asset_id}/confirm`);
    assert.deepEqual([reply.status, reply.body.code, stored()], [409, 'upload_missing', files]);
  });
});

describe('a signed address', () => {
  test('answers ranges, validators and HEAD as RFC 9110 says', async () => {
    const bytes = mp4(1000);
    const { url } = await upload(bytes);
    const get = (headers: Record<string, string>, method = 'GET') => fetch(at(url), { headers, method });
    const etag = (await get({}, 'HEAD')).headers.get('etag') ?? '';
    for (const [range, status, content, wanted] of [
      ['bytes=0-9', 206, 'bytes 0-9/1000', bytes.subarray(0, 10)],
      ['bytes=990-', 206, 'bytes 990-999/1000', bytes.subarray(990)],
      ['bytes=-5', 206, 'bytes 995-999/1000', bytes.subarray(995)],
      ['bytes=990-2000', 206, 'bytes 990-999/1000', bytes.subarray(990)],
      ['bytes=1000-', 416, 'bytes */1000', Buffer.alloc(0)],
      ['bytes=0-1,500-501', 200, null, bytes],
      ['lines=1-2', 200, null, bytes],
    ] as const) {
      const reply = await get({ range });
      assert.deepEqual([reply.status, reply.headers.get('content-range')], [status, content], range);
      assert.ok(Buffer.from(await reply.arrayBuffer()).equals(wanted), range);
    }
    assert.equal((await get({ range: 'bytes=0-9', 'if-range': etag })).status, 206);
    assert.equal((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).status, 200);
    assert.equal((await get({ 'if-none-match': etag })).status, 304);
    const head = await get({}, 'HEAD');
    assert.deepEqual(
      [head.status, head.headers.get('content-length'), (await head.arrayBuffer()).byteLength],
      [200, '1000', 0],
    );
  });

  test('is signed with a key that the database does not have; a former one is sealed, and opens', async () => {
    const former = await formerNode();
    const keys = { file_inner: randomBytes(64), file_outer: randomBytes(64) };
    await atrium.rows('update organisations set file_inner = $1, file_outer = $2 where id = 1', Object.values(keys));
    const kept = async () => (await atrium.rows('select file_inner, file_outer from organisations where id = 1'))[0];
    const { url } = await upload(mp4(100));
    await atrium.drain();
    assert.deepEqual(await kept(), keys, 'as long as a node of the version before may read them');
    await former.end();
    await atrium.drain();
    assert.deepEqual(await kept(), { file_inner: null, file_outer: null });
    const { url: next } = await upload(mp4(100));
    for (const signed of [url, next]) {
      assert.equal((await fetch(at(signed))).status, 200);
      assert.equal((await fetch(at(signed.replace(/signature=.{4}/, 'signature=0000')))).status, 404);
    }
    const [{ signature } = {}] = await atrium.rows<{ signature: string }>(
      `select address_signature(row(o.*)::organisations, 'x') as signature from organisations o where id = 1`,
    );
    const other = new pg.Client({ connectionString: atrium.database_url, options: '-c atrium.file_key=guessed' });
    await other.connect();
    const guessed = await other.query(
      `select address_signature(o, 'x') as signature from organisations o where id = 1`,
    );
    await other.end();
    assert.notEqual(guessed.rows[0].signature, signature);
  });

  /** What a node of the version before is seen by. */
  async function formerNode() {
    const application_name = 'atrium node 0b6b1f2c-former';
    const client = new pg.Client({ connectionString: atrium.database_url, application_name });
    await client.connect();
    return client;
  }

  test('cannot be changed, expires as the organisation sets it, and is of one organisation', async () => {
    const { url } = await upload(mp4(100));
    assert.equal((await fetch(at(url))).status, 200);
    for (const other of [
      url.replace(/signature=.{4}/, 'signature=0000'),
      url.replace(/expires=(\d+)/, (_: string, s: string) => `expires=${Number(s) + 1}`),
      url.replace('/original/', '/thumbnail/'),
      url.replace(/\/files\/\d+/, '/files/2'),
      url.split('?')[0] ?? '',
    ])
      assert.equal((await fetch(at(other))).status, 404, other);
    assert.equal((await atrium.call('PUT', '/v1/admin/sign-url', { json: { url_expiry_seconds: 59 } })).status, 400);
    await atrium.call('PUT', '/v1/admin/sign-url', { json: { url_expiry_seconds: 120 } });
    const short = (await upload(mp4(100))).url;
    atrium.clock.advance(119_000);
    assert.equal((await fetch(at(short))).status, 200);
    atrium.clock.advance(10_000);
    const late = await fetch(at(short));
    assert.deepEqual(
      [late.status, ((await late.json()) as { message: string }).message.includes('expired')],
      [404, true],
    );
    await atrium.call('PUT', '/v1/admin/sign-url', { json: { url_expiry_seconds: 86400 } });
  });

  test('what could carry a script is a download in a sandbox, under its own name', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>top.ran(1)</script></svg>');
    const form = formOf({ text: 'Files' }, [
      ['attachments[0]', svg, 'image/svg+xml', 'Grüße "1".svg'],
      ['attachments[1]', Buffer.from('<script>top.ran(1)</script>'), 'text/html', 'a.html'],
    ]);
    const { attachments } = (await atrium.call('POST', '/v1/updates', { form })).body.data;
    for (const { url } of attachments) {
      const reply = await fetch(at(url));
      assert.match(reply.headers.get('content-disposition') ?? '', /^attachment/);
      assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
    }
    assert.equal(attachments[0].file_name, 'Grüße "1".svg');
    const disposition = (await fetch(at(attachments[0].url))).headers.get('content-disposition') ?? '';
    assert.ok(disposition.includes(`filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.svg`), disposition);
  });
});

describe('files of content', () => {
  test('a gallery has thumbnails and upright sizes; files are placed, kept, reordered and removed', async () => {
    const form = formOf({ text: 'Opening' }, [
      ['gallery[0]', png, 'image/png', 'one.png'],
      ['gallery[1]', jpeg, 'image/jpeg', 'two.jpg'],
      ['attachments[0]', Buffer.from('plan'), 'text/plain', 'plan.txt'],
      ['video', mp4(3000), 'video/mp4', 'film.mp4'],
    ]);
    const reply = await atrium.call('POST', '/v1/updates', { form });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const update = reply.body.data;
    assert.deepEqual(
      update.gallery.map(({ width, height }: { width: number; height: number }) => [width, height]),
      [
        [900, 300],
        [80, 40],
      ],
    );
    const thumbnail = await fetch(at(update.gallery[0].thumbnail_url));
    assert.equal(thumbnail.headers.get('content-type'), 'image/webp');
    assert.equal((await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata()).width, 640);
    assert.deepEqual(
      [update.video.content_type, update.video.thumbnail_url, update.attachments[0].file_name],
      ['video/mp4', null, 'plan.txt'],
    );

    const [one, two] = update.gallery.map(({ asset_id }: { asset_id: number }) => asset_id);
    const replace = async (json: object) =>
      (await atrium.call('PUT', `/v1/updates/${update.id}`, { json: { text: 'Opening', ...json } })).body.data;
    const galleryOf = ({ gallery }: { gallery: { asset_id: number }[] }) => gallery.map(({ asset_id }) => asset_id);
    assert.deepEqual(galleryOf(await replace({})), [one, two], 'untouched when it is not named');
    assert.deepEqual(galleryOf(await replace({ gallery_ids: [two, one] })), [two, one]);
    const events = (await atrium.outbox()).length;
    assert.deepEqual(galleryOf(await replace({ gallery_ids: [two, one] })), [two, one]);
    assert.equal((await atrium.outbox()).length, events, 'the same again is no change');
    const files = stored();
    const less = await replace({ gallery_ids: [two], video_id: null });
    assert.deepEqual([galleryOf(less), less.video], [[two], null]);
    await atrium.drain();
    assert.equal(stored(), files - 3, 'the picture, its thumbnail and the video');
    assert.equal((await fetch(at(update.gallery[0].url))).status, 404);
    await atrium.call('DELETE', `/v1/updates/${update.id}`);
    await atrium.drain();
    assert.equal(stored(), files - 6);
  });

  test('the bytes of a file say what it is; its name or declared type only where bytes cannot tell', async () => {
    const word = Buffer.concat([Buffer.from('504b0304140000000800', 'hex'), randomBytes(200)]);
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const cases: [bytes: Buffer, declared: string, file_name: string, detected: string][] = [
      [png, 'image/jpeg', 'a.jpg', 'image/png'],
      [png, '', 'a', 'image/png'],
      [jpeg, 'text/plain', 'a.txt', 'image/jpeg'],
      [mp4(100), 'application/pdf', 'a.pdf', 'video/mp4'],
      [Buffer.from('%PDF-1.7'), 'image/jpeg', 'a.jpg', 'application/pdf'],
      [Buffer.from('Grüße'), 'image/png', 'a.png', 'text/plain'],
      [Buffer.from('a;b'), '', 'a.csv', 'text/csv'],
      [Buffer.from('a;b'), 'text/markdown', 'a.csv', 'text/markdown'],
      [Buffer.from('Gr\xfc\xdfe', 'latin1'), 'text/plain', 'a', 'text/plain'],
      [Buffer.from([0xff, 0xfe, 65, 0]), 'text/csv', 'a', 'text/csv'],
      [Buffer.from([1, 2, 3, 0]), 'text/plain', 'a.txt', 'application/octet-stream'],
      [Buffer.from([1, 2, 3, 0]), 'application/x-own', 'a', 'application/x-own'],
      [Buffer.from([1, 2, 3, 0]), 'image/png', 'a.png', 'application/octet-stream'],
      [word, '', 'a.docx', docx],
      [word, docx, 'a', docx],
      [word, 'application/pdf', 'a', 'application/zip'],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), '', 'a.svg', 'image/svg+xml'],
    ];
    const files = cases.map(([bytes, declared, file_name], n) => [`attachments[${n}]`, bytes, declared, file_name]);
    const form = formOf({ text: 'x' }, files as [string, Buffer, string, string][]);
    const reply = await atrium.call('POST', '/v1/updates', { form });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const attachments = reply.body.data.attachments as { content_type: string; url: string }[];
    assert.deepEqual(
      attachments.map(({ content_type }) => content_type),
      cases.map(([, , , detected]) => detected),
    );
    const served = await fetch(at(attachments[0]?.url ?? ''));
    assert.equal(served.headers.get('content-type'), 'image/png');
    await atrium.call('DELETE', `/v1/updates/${reply.body.data.id}`);
    await atrium.drain();
  });

  test('an empty file is a 400 with its field wherever a contract takes files', async () => {
    const taking = routes.flatMap(({ family }) =>
      Object.values(family.endpoints).flatMap(({ method, path, example, body, actors }) =>
        actors ? [] : fileFields(body).map((field) => ({ method, path, example, field })),
      ),
    );
    assert.ok(taking.length > 30);
    const before = [await rows(), stored()];
    for (const { method, path, example, field } of taking) {
      const form = formOf({}, [[field, Buffer.alloc(0), 'image/png', 'a.png']]);
      const named = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(example.params?.[name]));
      const reply = await atrium.call(method, named, { form });
      const errors = reply.body.meta.errors as { path: string; message: string }[];
      const said = errors.find((error) => error.path === field)?.message;
      assert.deepEqual([reply.status, said], [400, 'must not be an empty file'], `${method} ${path} ${field}`);
    }
    assert.deepEqual([await rows(), stored()], before);
  });

  test(`a file of a wrong kind, or damaged, is a 400 with its place, and nothing stays`, async () => {
    const before = [
      await rows(),
      stored(),
      (await atrium.outbox()).length,
      (await atrium.rows('select id from updates')).length,
    ];
    for (const [name, bytes, type] of [
      ['gallery[0]', Buffer.from('no picture'), 'image/png'],
      ['gallery[0]', mp4(100), 'image/png'],
      ['gallery[0]', png.subarray(0, 200), 'image/png'],
      ['gallery[0]', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
      ['video', png, 'video/mp4'],
      ['video', png, 'image/png'],
      ['attachments[0]', png.subarray(0, 200), 'application/pdf'],
    ] as const) {
      const form = formOf({ text: 'x' }, [
        ['attachments[7]', Buffer.from('fine'), 'text/plain', 'fine.txt'],
        [name, bytes, type, 'f'],
      ]);
      const reply = await atrium.call('POST', '/v1/updates', { form });
      assert.deepEqual(
        [reply.status, reply.body.code],
        [400, 'file_invalid'],
        `${name} ${type} ${JSON.stringify(reply.body)}`,
      );
      assert.equal(reply.body.meta.errors[0].path, name);
    }
    const elsewhere = await atrium.call('POST', '/v1/updates', {
      form: formOf({ text: 'x', 'audience[type]': 'spaces', 'audience[spaces][]': '999' }, [
        ['gallery[0]', png, 'image/png', 'a.png'],
      ]),
    });
    assert.equal(elsewhere.status, 400);
    const many = formOf(
      { text: 'x' },
      Array.from({ length: 21 }, (_, i) => [`gallery[${i}]`, png, 'image/png', 'a.png']),
    );
    const refused = await atrium.call('POST', '/v1/updates', { form: many });
    assert.deepEqual([refused.status, refused.body.meta.errors[0].path], [413, 'gallery[20]']);
    assert.deepEqual(
      [await rows(), stored(), (await atrium.outbox()).length, (await atrium.rows('select id from updates')).length],
      before,
    );
  });

  test('nobody shows a file that is not theirs; what content shows cannot be deleted', async () => {
    const asset = await upload(mp4(500));
    const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
    const refused = await emi.call('POST', '/v1/updates', { json: { text: 'x', video_id: asset.id } });
    assert.deepEqual([refused.status, refused.body.meta.errors[0].path], [400, 'video_id']);
    assert.equal((await emi.call('GET', `/v1/assets/${asset.id}`)).status, 404);
    const wrong = await atrium.call('POST', '/v1/updates', { json: { text: 'x', gallery_ids: [asset.id] } });
    assert.deepEqual([wrong.status, wrong.body.meta.errors[0].path], [400, 'gallery_ids[0]']);
    const { id, video } = (await atrium.call('POST', '/v1/updates', { json: { text: 'x', video_id: asset.id } })).body
      .data;
    assert.equal(video.asset_id, asset.id);
    const held = await atrium.call('DELETE', `/v1/assets/${asset.id}`);
    assert.deepEqual([held.status, held.body.code], [409, 'asset_in_use']);
    await atrium.call('DELETE', `/v1/updates/${id}`);
    await atrium.drain();
    assert.equal(
      (await atrium.call('DELETE', `/v1/assets/${asset.id}`)).status,
      200,
      'uploaded by itself, it stays until it is deleted',
    );
  });
});

test(`a file that came with a message or with content is its readers’: \
neither an app nor an admin reaches it by its number`, async () => {
  const [ada, emi] = [
    await signIn(atrium, 'ada.okafor@northwind.example'),
    await signIn(atrium, 'emi.tanaka@northwind.example'),
  ];
  const opened = await emi.call('POST', '/v1/chat/channels', { json: { type: 'direct', user_ids: [4] } });
  const form = formOf({ type: 'file' }, [['files[0]', png, 'image/png', 'private.png']]);
  const sent = await emi.call('POST', `/v1/chat/channels/${opened.body.data.channel_url}/messages`, { form });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  const [{ id }] = (await atrium.rows(`select max(id)::int as id from assets where file_name = 'private.png'`)) as [
    { id: number },
  ];
  for (const caller of [atrium, ada]) {
    assert.equal((await caller.call('GET', `/v1/assets/${id}`)).status, 404);
    assert.equal((await caller.call('DELETE', `/v1/assets/${id}`)).status, 404);
    const shown = await caller.call('POST', '/v1/updates', { json: { text: 'x', gallery_ids: [id] } });
    assert.deepEqual([shown.status, shown.body.meta.errors[0].path], [400, 'gallery_ids[0]']);
    const linked = await caller.call('POST', '/v1/pages', {
      json: { title: 'T', html_content: `<img src="asset://${id}">` },
    });
    assert.deepEqual([linked.status, linked.body.meta.errors[0].path], [400, 'html_content']);
    assert.equal((await caller.call('POST', '/v1/documents', { json: { label: 'x', asset_id: id } })).status, 400);
  }
  assert.equal((await emi.call('GET', `/v1/assets/${id}`)).status, 200, 'who sent it has it');
});

describe('sign_url', () => {
  test(`turns references of a page into addresses that work, also in lists \
and translations; without it they stay`, async () => {
    const asset = await upload(png, { file_name: 'a b.png', content_type: 'image/png' });
    const html_content = `<p><img src="asset://${asset.id}" /></p>`;
    const page = (
      await atrium.call('POST', '/v1/pages', { json: { title: 'T', html_content, language: 'en', space_id: 2 } })
    ).body.data;
    assert.equal(page.html_content, html_content);
    const german = `<p>Bild <img src="asset://${asset.id}" /></p>`;
    await atrium.call('PUT', `/v1/pages/${page.id}`, {
      json: { title: 'T', html_content: german, language: 'de', space_id: 2 },
    });
    for (const path of [`/v1/pages/${page.id}?`, `/v1/pages/${page.id}?language=de&`, '/v1/pages?space_id=2&take=1&']) {
      const read = async (query: string) =>
        [(await atrium.call('GET', path + query)).body.data].flat()[0].html_content as string;
      assert.ok((await read('')).includes(`asset://${asset.id}`));
      assert.ok((await read('sign_url=0')).includes(`asset://${asset.id}`));
      const signed = await read('sign_url=1');
      const url = /src="([^"]+)"/.exec(signed)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const image = await fetch(at(url));
      assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/png'], signed);
      assert.ok(!signed.includes(`"asset://${asset.id}"`));
    }
    await atrium.rows(`update pages set html_content = html_content || ' asset://1' where id = $1`, [page.id]);
    const slipped = (await atrium.call('GET', `/v1/pages/${page.id}?sign_url=true`)).body.data.html_content;
    assert.ok(slipped.endsWith(' asset://1'), 'not known to be shown, so not signed');
    const unknown = await atrium.call('POST', '/v1/pages', {
      json: { title: 'T', html_content: '<img src="asset://999999">' },
    });
    assert.deepEqual([unknown.status, unknown.body.meta.errors[0].path], [400, 'html_content']);
    assert.equal((await atrium.call('DELETE', `/v1/assets/${asset.id}`)).status, 409);
    await atrium.call('DELETE', `/v1/pages/${page.id}`);
    assert.equal((await atrium.call('DELETE', `/v1/assets/${asset.id}`)).status, 200);
  });
});

describe('what people may keep', async () => {
  const KEPT_MAX = 400_000;
  const small = await startAtrium({
    person_bytes_max: 200_000,
    organisation_bytes_max: KEPT_MAX,
    pending_uploads_max: 3,
    pixels_max: 1_000_000,
  });
  const emi = await signIn(small, 'emi.tanaka@northwind.example');
  const post = (caller: Pick<typeof small, 'call'>, byte_size: number) =>
    caller.call('POST', '/v1/updates', {
      form: formOf({ text: 'x' }, [['attachments[0]', Buffer.alloc(byte_size, 'x'), 'text/plain', 'a.txt']]),
    });
  const filesOf = () =>
    readdirSync(`${small.services.config.data_dir}/files`, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length;
  const refused = (reply: Reply, path: string) =>
    assert.deepEqual([reply.status, reply.body.code, reply.body.meta.errors[0].path], [413, 'quota_exceeded', path]);
  const kept = async () => {
    const [row] = await small.rows<{ counted: number; kept: number }>(`
      select (select coalesce(sum(byte_size), 0)::int from upload_changes)
          + (select coalesce(sum(byte_size), 0)::int from upload_totals where user_id = 0) as counted,
        (select coalesce(sum(byte_size), 0)::int from assets) as kept`);
    assert.equal(row?.counted, row?.kept);
    return row?.kept ?? 0;
  };

  test('a person may keep so many bytes, everybody together so many, and what is deleted makes room', async () => {
    const before = await kept();
    const first = await post(emi, 150_000);
    assert.equal(first.status, 201);
    const files = filesOf();
    refused(await post(emi, 60_000), 'attachments[0]');
    refused(
      await emi.call('POST', '/v1/assets/upload-url', {
        json: { file_name: 'a', content_type: 'text/plain', byte_size: 60_000 },
      }),
      'byte_size',
    );
    assert.equal(filesOf(), files);
    await small.drain();
    refused(await post(emi, 60_000), 'attachments[0]');
    assert.equal((await post(emi, 40_000)).status, 201);

    // An app is limited by its organisation alone.
    const room = KEPT_MAX - (await kept());
    refused(await post(small, room + 1), 'attachments[0]');
    const last = await post(small, room);
    assert.equal(last.status, 201);
    refused(await post(emi, 1), 'attachments[0]');
    for (const { body } of [first, last]) await small.call('DELETE', `/v1/updates/${body.data.id}`);
    await small.drain();
    assert.equal(await kept(), before + 40_000);
    assert.equal((await post(emi, 150_000)).status, 201);
  });

  test('upload addresses wait in so many places at most; confirmed or deleted ones make room', async () => {
    const before = await kept();
    const announced = () =>
      small.call('POST', '/v1/assets/upload-url', {
        json: { file_name: 'a.txt', content_type: 'text/plain', byte_size: 1000 },
      });
    const waiting = [await announced(), await announced(), await announced()];
    refused(await announced(), 'file_name');
    await small.call('DELETE', `/v1/assets/${waiting[0]?.body.data.asset_id}`);
    assert.equal((await announced()).status, 201);
    small.clock.advance(25 * 3_600_000);
    await small.drain();
    assert.equal(await kept(), before, 'what nobody confirmed counts no longer');
  });

  test('the pictures of a request have so many pixels together at most', async () => {
    const files = filesOf();
    const galleryOf = (count: number) =>
      small.call('POST', '/v1/updates', {
        form: formOf(
          { text: 'x' },
          Array.from({ length: count }, (_, n) => [`gallery[${n}]`, png, 'image/png', 'a.png']),
        ),
      });
    assert.equal((await galleryOf(3)).status, 201);
    refused(await galleryOf(4), 'gallery[3]');
    assert.equal(filesOf(), files + 6);
  });
});

test('work is done while it weighs so much together at most, in order; what is too heavy is done alone', async () => {
  const weighed = scale(10);
  const running: string[] = [];
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string, heavy: number) =>
    weighed(heavy, async () => {
      started.push(name);
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
      if (name === 'b') throw new Error(name);
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  const all = [work('a', 4), work('b', 6), work('c', 1), work('d', 50), work('e', 1)];
  const outcomes = Promise.allSettled(all);
  assert.deepEqual(running, ['a', 'b']);
  await end('b');
  assert.deepEqual(running, ['a', 'c'], 'also after work that failed');
  await end('a');
  assert.deepEqual(running, ['c'], 'the heavy one is waited for');
  await end('c');
  assert.deepEqual(running, ['d']);
  await end('d');
  await end('e');
  assert.deepEqual(
    (await outcomes).map(({ status }) => status === 'fulfilled'),
    [true, false, true, true, true],
  );
  assert.deepEqual(started, ['a', 'b', 'c', 'd', 'e']);
});

test('an upload address ends with the access of whoever asked for it, and comes back with it', async () => {
  const carla = await signIn(atrium, 'carla.mendes@northwind.example');
  const json = { file_name: 'a.txt', content_type: 'text/plain', byte_size: 3 };
  const { upload_url, asset_id } = (await carla.call('POST', '/v1/assets/upload-url', { json })).body.data;
  const send = async () => (await fetch(at(upload_url), { method: 'PUT', body: 'abc' })).status;
  await atrium.call('DELETE', `/v1/users/${carla.user.id}`);
  const files = stored();
  assert.deepEqual([await send(), stored()], [404, files]);
  await atrium.rows('update users set is_active = true where id = $1', [carla.user.id]);
  assert.equal(await send(), 204);
  assert.equal((await atrium.call('POST', `/v1/assets/${asset_id}/confirm`)).status, 200);
});

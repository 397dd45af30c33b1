// Large files through a server of its own, whose memory is looked at from outside, and what is left when it is killed.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import {
  authorised,
  credentialsOf,
  dataFolder,
  endAllAfterTests,
  type Server,
  serve,
  until,
} from './testing/processes.ts';

endAllAfterTests();

/** `ATRIUM_TEST_UPLOAD_MIB=500 npm test -- uploads` sends half a gigabyte. */
const MIB = Number(process.env.ATRIUM_TEST_UPLOAD_MIB || 200);
const GROWTH_MIB_MAX = 100;

const data = dataFolder();
let server: Server = await serve(data, { env: { ATRIUM_FILE_BYTES_MAX: String(2 ** 40) } });
const credentials = authorised(await credentialsOf(server));
const call = async (method: string, path: string, json?: object) => {
  const body = json && JSON.stringify(json);
  const headers = { ...credentials, ...(body ? { 'content-type': 'application/json' } : {}) };
  const reply = await fetch(server.url + path, { method, headers, ...(body ? { body } : {}) });
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape.
  return { status: reply.status, body: (await reply.json()) as any };
};
/** Files below the data folder that are not the database's. */
const files = () =>
  ['files', 'uploads'].flatMap((name) => {
    const entries = readdirSync(join(data, name), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  });
const assetCount = async () => (await call('GET', '/v1/assets?take=1')).body.meta.pagination.total_records;

const piece = Buffer.concat([
  Buffer.from('0000001c667479706d703432000000006d70343269736f6d', 'hex'),
  randomBytes(65_536 - 24),
]);
function* video() {
  for (let n = 0; n < MIB * 16; n++) yield piece;
}
const byte_size = MIB * 2 ** 20;
const hash = createHash('sha256');
for (const each of video()) hash.update(each);
const sha256 = hash.digest('hex');
const streamed = (pieces: Iterable<Buffer>) =>
  ({ body: Readable.toWeb(Readable.from(pieces)) as ReadableStream, duplex: 'half' }) as RequestInit;
const local = (url: string) => server.url + new URL(url).pathname + new URL(url).search;

/** The most that the server's process occupies while `work` runs, beyond what it did before. */
async function growthOf(work: () => Promise<void>): Promise<string> {
  const resident = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;
  // Sets the high-water mark back: proc(5).
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
  const before = resident('VmRSS');
  await work();
  const most = resident('VmHWM');
  assert.ok(most - before < GROWTH_MIB_MAX, `grew by ${Math.round(most - before)} MiB`);
  return `${MIB} MiB: the server occupied ${Math.round(before)} MiB before and ${Math.round(most)} MiB at most`;
}

async function downloaded(url: string) {
  const back = createHash('sha256');
  for await (const chunk of (await fetch(local(url))).body ?? []) back.update(chunk);
  assert.equal(back.digest('hex'), sha256);
}

test(`a video of ${MIB} MiB goes up directly, is confirmed and comes back in constant memory`, async (t) => {
  t.diagnostic(
    await growthOf(async () => {
      const announced = (
        await call('POST', '/v1/assets/upload-url', {
          file_name: 'a.mp4',
          content_type: 'video/mp4',
          byte_size,
          sha256,
        })
      ).body.data;
      const sent = await fetch(local(announced.upload_url), {
        method: 'PUT',
        headers: announced.headers,
        ...streamed(video()),
      });
      assert.equal(sent.status, 204);
      const asset = (await call('POST', `/v1/assets/${announced.asset_id}/confirm`)).body.data;
      assert.deepEqual([asset.state, asset.sha256], ['ready', sha256]);
      await downloaded(asset.url);
    }),
  );
});

test(`the same as the video of an update in a form, in constant memory`, async (t) => {
  t.diagnostic(
    await growthOf(async () => {
      const head =
        '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nFilm\r\n' +
        '--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n';
      const form = function* () {
        yield Buffer.from(head);
        yield* video();
        yield Buffer.from('\r\n--b--\r\n');
      };
      const headers = { ...credentials, 'content-type': 'multipart/form-data; boundary=b' };
      const reply = await fetch(`${server.url}/v1/updates`, { method: 'POST', headers, ...streamed(form()) });
      const { data } = (await reply.json()) as { data: { video: { url: string; byte_size: number } } };
      assert.deepEqual([reply.status, data.video.byte_size], [201, byte_size]);
      await downloaded(data.video.url);
    }),
  );
  assert.deepEqual(readdirSync(join(data, 'uploads')), []);
});

test(`uploads that a killed server was reading leave no row, and their files go when a later start \
finds them`, async () => {
  const before = [files().length, await assetCount()];
  const announced = (
    await call('POST', '/v1/assets/upload-url', { file_name: 'a.mp4', content_type: 'video/mp4', byte_size, sha256 })
  ).body.data;
  const direct = request(local(announced.upload_url), {
    method: 'PUT',
    headers: { ...announced.headers, 'content-length': byte_size },
  });
  const form = request(`${server.url}/v1/updates`, {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const broken = Promise.all([once(direct, 'error'), once(form, 'error')]);
  direct.write(piece);
  form.write(
    '--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n',
  );
  form.write(piece);
  await until(() => files().length === (before[0] ?? 0) + 2, 'both are being written');
  server.kill('SIGKILL');
  await Promise.all([server.exit, broken]);
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  for (const path of files()) if (/\/(parts|uploads)\//.test(path)) utimesSync(path, yesterday, yesterday);
  server = await serve(data);
  assert.equal(files().length, before[0]);
  const reply = await call('POST', `/v1/assets/${announced.asset_id}/confirm`);
  assert.deepEqual([reply.status, reply.body.code], [409, 'upload_missing']);
  await call('DELETE', `/v1/assets/${announced.asset_id}`);
  assert.equal(await assetCount(), before[1]);
  server.kill('SIGTERM');
  await server.exit;
});

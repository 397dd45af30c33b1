// What is promised of files holds wherever they lie.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import sharp from 'sharp';
import { startAtrium, type TestAtrium } from './testing/atrium.ts';
import { noBucket, startBucket } from './testing/bucket.ts';

interface Place {
  atrium: TestAtrium;
  /** How many files lie there. */
  stored(): Promise<number>;
}

const inFolder = async (): Promise<Place> => {
  const atrium = await startAtrium();
  mkdirSync(atrium.services.config.files_folder, { recursive: true });
  const entries = () => readdirSync(atrium.services.config.files_folder, { recursive: true, withFileTypes: true });
  return { atrium, stored: async () => entries().filter((entry) => entry.isFile()).length };
};
const inBucket = async (): Promise<Place> => {
  const bucket = await startBucket();
  after(bucket.stop);
  return { atrium: await startAtrium(bucket.settings), stored: async () => (await bucket.keys()).length };
};

const png = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#aa3300' } })
  .png()
  .toBuffer();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const form = (fields: Record<string, string>, name: string, bytes: Buffer) => {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) body.append(field, value);
  body.append(name, new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png');
  return body;
};

for (const [name, open, skip] of [
  ['the data folder', inFolder, false],
  ['a bucket', inBucket, noBucket],
] as const)
  describe(`files in ${name}`, { skip }, async () => {
    if (skip) return;
    const { atrium, stored } = await open();
    const { storage } = atrium.services;
    /**
     * Signed addresses of Atrium carry the organisation's domain; the test server is elsewhere. A bucket's are its own.
     */
    const at = (url: string) =>
      /\/(files|uploads)\/\d+\/\d+[/?]/.test(url) ? atrium.url + new URL(url).pathname + new URL(url).search : url;
    const announce = async (bytes: Buffer, more: object = {}) =>
      (
        await atrium.call('POST', '/v1/assets/upload-url', {
          json: { file_name: 'a.png', content_type: 'image/png', byte_size: bytes.length, ...more },
        })
      ).body.data;
    const send = async (
      { upload_url, method, headers }: { upload_url: string; method: string; headers: Record<string, string> },
      bytes: Buffer,
    ) => (await fetch(at(upload_url), { method, headers, body: new Uint8Array(bytes) })).status;
    const confirm = (id: number) => atrium.call('POST', `/v1/assets/${id}/confirm`);
    const read = async (url: string, headers = {}) =>
      Buffer.from(await (await fetch(at(url), { headers })).arrayBuffer());

    test('come back whole and in ranges, under their key only; a copy lives on when the first goes', async () => {
      const before = await stored();
      const bytes = randomBytes(100_000);
      const path = join(atrium.services.config.data_dir, 'upload');
      writeFileSync(path, bytes);
      const uploaded = {
        file_name: 'a',
        content_type: 'x/y',
        byte_size: bytes.length,
        path,
        bytes: async () => assert.fail('read whole'),
      };
      for (const content of [bytes, uploaded]) {
        const key = await storage.put(1, content);
        const get = async (of: number, which: string, range?: { start: number; end: number }) => {
          const found = await storage.open(of, which, range);
          return found && Buffer.concat(await found.stream.toArray());
        };
        assert.ok((await get(1, key))?.equals(bytes));
        assert.ok((await get(1, key, { start: 10, end: 19 }))?.equals(bytes.subarray(10, 20)));
        assert.equal(await storage.byteSize(1, key), bytes.length);
        assert.deepEqual(
          [await get(2, key), await storage.byteSize(2, key), await storage.copy(2, key)],
          [undefined, undefined, undefined],
        );
        const copy = (await storage.copy(1, key)) ?? '';
        for (const _again of [1, 2]) await storage.remove(1, key);
        assert.deepEqual([await get(1, key), (await get(1, copy))?.equals(bytes)], [undefined, true]);
        await storage.remove(1, copy);
      }
      assert.equal(await stored(), before);
    });

    test('go up directly, count once they are confirmed, and are served with ranges and a thumbnail', async () => {
      const before = await stored();
      const announced = await announce(png, { sha256: sha256(png) });
      assert.equal((await confirm(announced.asset_id)).status, 409, 'nothing is there yet');
      assert.ok((await send(announced, png)) < 300);
      const [first, second] = await Promise.all([confirm(announced.asset_id), confirm(announced.asset_id)]);
      assert.deepEqual([first.status, second.body.data], [200, first.body.data]);
      const asset = first.body.data;
      assert.deepEqual([asset.width, asset.height, asset.sha256], [900, 300, sha256(png)]);
      assert.ok((await read(asset.url)).equals(png));
      assert.ok((await read(asset.url, { range: 'bytes=5-14' })).equals(png.subarray(5, 15)));
      assert.equal((await sharp(await read(asset.thumbnail_url)).metadata()).width, 640);
      assert.equal(await stored(), before + 2);
      assert.equal((await atrium.call('DELETE', `/v1/assets/${asset.id}`)).status, 200);
      await atrium.drain();
      assert.equal(await stored(), before);
    });

    test(`are refused with another size or hash than was announced, and nothing of them stays; \
the bytes say the type`, async () => {
      const before = await stored();
      const otherHash = await announce(png, { sha256: '0'.repeat(64) });
      assert.ok((await send(otherHash, png)) < 300);
      const { status, body } = await confirm(otherHash.asset_id);
      assert.deepEqual([status, body.code, body.meta.errors[0].path], [400, 'file_invalid', 'sha256']);
      assert.equal((await atrium.call('GET', `/v1/assets/${otherHash.asset_id}`)).status, 404);
      const noVideo = await announce(png, { content_type: 'video/mp4' });
      assert.ok((await send(noVideo, png)) < 300);
      assert.equal((await confirm(noVideo.asset_id)).body.data.content_type, 'image/png');
      const larger = await announce(png, { byte_size: png.length + 1 });
      assert.ok((await send(larger, png)) >= 400);
      const otherType = await announce(png);
      const wrongly = await send({ ...otherType, headers: { 'content-type': 'text/html' } }, png);
      assert.ok(
        wrongly >= 400 || (await confirm(otherType.asset_id)).body.data.content_type === 'image/png',
        'the announced type counts',
      );
      for (const { asset_id } of [noVideo, larger, otherType]) await atrium.call('DELETE', `/v1/assets/${asset_id}`);
      await atrium.drain();
      assert.equal(await stored(), before);
    });

    test(`are not changed by who still has the address of the upload, and what is sent there \
is gone in a day`, async () => {
      const before = await stored();
      const announced = await announce(png);
      await send(announced, png);
      const asset = (await confirm(announced.asset_id)).body.data;
      await send(announced, randomBytes(png.length));
      assert.deepEqual((await confirm(announced.asset_id)).body.data, asset);
      assert.ok((await read(asset.url)).equals(png));
      const forgotten = await announce(png);
      await send(forgotten, png);
      atrium.clock.advance(24 * 3_600_000 + 1000);
      await atrium.drain();
      assert.equal(await stored(), before + 2, 'the asset and its thumbnail');
      assert.equal((await confirm(forgotten.asset_id)).status, 404);
      await atrium.call('DELETE', `/v1/assets/${asset.id}`);
      await atrium.drain();
      assert.equal(await stored(), before);
    });

    test('come and go with content; a write that fails leaves none', async () => {
      const before = await stored();
      const made = await atrium.call('POST', '/v1/updates', { form: form({ text: 'x' }, 'gallery[0]', png) });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.ok((await read(made.body.data.gallery[0].url)).equals(png));
      const refused = await atrium.call('POST', '/v1/updates', {
        form: form({ text: 'x', 'audience[type]': 'spaces', 'audience[spaces][]': '999' }, 'gallery[0]', png),
      });
      assert.equal(refused.status, 400);
      assert.equal(await stored(), before + 2);
      await atrium.call('DELETE', `/v1/updates/${made.body.data.id}`);
      await atrium.drain();
      assert.equal(await stored(), before);
    });

    test('may be pictures of people', async () => {
      const before = await stored();
      const reply = await atrium.call('PUT', '/v1/users/2/profile-photo', { form: form({}, 'image', png) });
      assert.ok((await read(atrium.url + new URL(reply.body.data.avatar_url).pathname)).equals(png));
      await atrium.call('PUT', '/v1/users/2/profile-photo', { form: form({}, 'image', png) });
      await atrium.drain();
      assert.equal(await stored(), before + 1);
    });
  });

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { showProgress } from './progress.ts';

/** What is printed during 40 seconds with 2,000 steps. */
async function printed(isTTY: boolean) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  let ms = 0;
  const progress = await showProgress('seeding', 2000, stream, () => ms);
  for (let done = 1; done <= 2000; done++) {
    ms += 20;
    progress.update(done);
  }
  progress.stop();
  return String(stream.read() ?? '');
}

test('progress is a bar in a terminal, and elsewhere a line every ten seconds', async () => {
  assert.deepEqual((await printed(false)).split('\n'), [
    'seeding: 500 of 2000 (25 %)',
    'seeding: 1000 of 2000 (50 %)',
    'seeding: 1500 of 2000 (75 %)',
    'seeding: 2000 of 2000 (100 %)',
    '',
  ]);
  assert.match(await printed(true), /2000 of 2000/);
});

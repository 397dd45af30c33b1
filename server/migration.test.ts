// A client that we did not write, of another language: Python's `requests`, which sends files without a type.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { startAtrium, world } from './testing/atrium.ts';

const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;
const skip = hasRequests ? false : 'needs Python with requests: apt-get install python3-requests';

test('files of a migration in Python arrive as what they are, and its mistakes are named', { skip }, async () => {
  const atrium = await startAtrium({ body_bytes_max: 1_000_000, file_bytes_max: 2_000_000, files_max: 4 });
  const folder = mkdtempSync(join(tmpdir(), 'atrium-migration-'));
  const [png, plan] = [join(folder, 'opening.png'), join(folder, 'plan.csv')];
  await sharp({ create: { width: 60, height: 40, channels: 3, background: '#aa3300' } }).toFile(png);
  writeFileSync(plan, 'day;from;to\n');
  const { northwind } = world;
  const identity = [atrium.url, String(northwind.organisation_id), northwind.api_key];
  const script = join(import.meta.dirname, 'testing', 'migration.py');
  const files = [png, plan, 'bot_helpdesk', 'demo-bot'];
  const { stdout } = await promisify(execFile)('python3', [script, ...identity, ...files]);
  const answers = JSON.parse(stdout);
  const statuses = Object.entries(answers).map(([name, answer]) => [name, (answer as { status: number }).status]);
  assert.deepEqual(Object.fromEntries(statuses), {
    ...{ update: 201, bytes: 201, 'no name': 201, 'wrong type': 201, kudos: 201, article: 201, event: 201 },
    ...{ document: 201, photo: 200, 'generated photo': 200, message: 200 },
    ...{ empty: 400, 'too large': 413, 'no files here': 413, 'no credential': 401 },
  });
  const { update, empty } = answers;
  const shown = [
    ...[update, answers.bytes, answers['no name'], answers['wrong type'], answers.kudos].map(
      ({ data }) => data.gallery[0],
    ),
    ...[answers.article, answers.event].map(({ data }) => data.cover_image),
    ...JSON.parse(answers.message.data).files,
  ];
  assert.deepEqual(
    shown.map(({ content_type }) => content_type),
    shown.map(() => 'image/png'),
  );
  assert.deepEqual([shown[0].file_name, shown[0].width, shown[0].height], ['opening.png', 60, 40]);
  assert.equal(update.data.attachments[0].content_type, 'text/csv');
  assert.deepEqual(empty.meta.errors, [{ path: 'gallery[0]', message: 'must not be an empty file' }]);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { coverage } from './interface.ts';

test('each operation of the interface is served, asks for a scope, and is called by a test', () => {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../server/openapi.json'), 'utf8'));
  const covered = coverage(document);
  const gaps = covered.filter(({ operation, scope, tests }) => !operation || !scope || tests.length === 0);
  assert.deepEqual(
    gaps.map(({ method, path }) => `${method} ${path}`),
    [],
  );
  assert.ok(covered.length > 60, String(covered.length));
});

// The client in this process; `npm run test:sdk` runs the same checks on other versions of Node and in a browser.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { WebSocket } from 'ws';
import { startAtrium } from '../server/testing/atrium.ts';
import { checksIn } from './testing/checks.js';
import { checkedWorld } from './testing/world.ts';

const atrium = await startAtrium();
const { given, proxy } = await checkedWorld(atrium, 3_000_000);
after(() => assert.deepEqual(proxy.violations, []));

describe('the client', () => {
  for (const [name, check] of Object.entries(checksIn({ ...given, inspect: hidden, WebSocket }))) test(name, check);
});

function hidden(value: unknown) {
  return inspect(value, { depth: 20, showHidden: true });
}

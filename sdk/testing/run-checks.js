// The checks as a program: what the world is comes as JSON from standard input, the results go to standard output.
import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { verifyWebhook } from '../atrium.js';
import { runChecks } from './checks.js';

const given = JSON.parse(await text(process.stdin));
const shown = (value) => inspect(value, { depth: 20, showHidden: true });
const WebSocket = globalThis.WebSocket ?? (await import('ws')).WebSocket;
const results = await runChecks({ ...given, inspect: shown, WebSocket });
results.push({ name: 'a webhook is verified', error: verified() ? undefined : 'It was not.' });
process.stdout.write(`${JSON.stringify(results)}\n`);
process.exit(0);

function verified() {
  const body = '{"action":"page.created"}';
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', Buffer.from('secret')).update(`id.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'id', 'webhook-timestamp': `${timestamp}`, 'webhook-signature': `v1,${signature}` };
  return verifyWebhook(body, headers, Buffer.from('secret').toString('base64')).action === 'page.created';
}

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { configPath, readConnection, writeProfile } from './connection.js';
import { UsageError, write } from './terminal.js';

export const configureCommand = {
  words: 'configure',
  synopsis: 'configure',
  about: 'Keep URL, Service-Id and key in a file for you alone: `atrium --url URL --service-id ID configure`.',
  async run({ given, signal }) {
    const { url, service_id, profile = 'default' } = given;
    if (!url || !service_id) throw new UsageError('atrium --url URL --service-id ID [--profile NAME] configure');
    const api_key = given.api_key ?? process.env.ATRIUM_API_KEY ?? (await readSecret('API key: '));
    if (!api_key) throw new UsageError('The key is empty.');
    // A key that is wrong is not kept; one that may not list keys is a key.
    const atrium = readConnection({ url, service_id, api_key }, {});
    await atrium.listMyKeys({ take: 1 }, { signal }).catch((error) => {
      if (error.status !== 403) throw error;
    });
    const path = configPath();
    writeProfile(path, profile, { url, service_id, api_key });
    return write(`${path} has the profile ${profile}.\n`);
  },
};

/** From a pipe, or typed without being shown. */
async function readSecret(question) {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const secret = await lines.question('');
  lines.close();
  process.stderr.write('\n');
  return secret.trim();
}

import { existsSync, openAsBlob, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { uploadFile } from '@atrium/sdk';
import { parsed } from './fields.js';
import { UsageError, writeJson } from './terminal.js';

const text = { type: 'string' };

export const uploadCommand = {
  words: 'upload',
  synopsis: 'upload <file> [--name NAME] [--content-type TYPE] [--state FILE]',
  about: 'A file of any size becomes an asset. With --state, what was cut off goes on with the same asset.',
  async run({ args, signal, connect }) {
    const options = { name: text, 'content-type': text, state: text };
    const { values, positionals } = parsed(args, options);
    const [path, ...more] = positionals;
    if (!path || more.length > 0) throw new UsageError('`atrium upload` needs one file.');
    const file = await openAsBlob(path).catch(() => undefined);
    if (!file) throw new UsageError(`${path} cannot be read.`);
    const { state } = values;
    const asset = await uploadFile(connect(), file, {
      ...{ fileName: values.name ?? basename(path), contentType: values['content-type'], signal },
      resume: state && existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : undefined,
      // Whoever has it may send the file.
      onAnnounced: (announced) => state && writeFileSync(state, JSON.stringify(announced), { mode: 0o600 }),
      onProgress: process.stderr.isTTY ? show : undefined,
    });
    if (process.stderr.isTTY) process.stderr.write('\n');
    if (state) rmSync(state, { force: true });
    return writeJson(asset);
  },
};

const show = ({ sent, total }) => process.stderr.write(`\r${Math.floor((100 * sent) / total)} % of ${total} bytes`);

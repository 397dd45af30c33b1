import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { verify } from './chain.js';
import { UsageError, writeJson } from './terminal.js';

export const auditCommands = [
  {
    words: 'audit verify',
    synopsis: 'audit verify <file> [--head HASH]',
    about: 'Whether an exported audit log is as Atrium wrote it; --head: the hash its last entry must have.',
    async run({ args: [path, flag, head, ...more] }) {
      if (!path || more.length > 0 || (flag !== undefined && (flag !== '--head' || !/^[\da-f]{64}$/.test(head ?? ''))))
        throw new UsageError('Give a file of `GET /v1/audit/export`, and after --head a hash of 64 digits.');
      const file = createReadStream(path, 'utf8');
      await once(file, 'open').catch(({ code }) => {
        throw new UsageError(`${path} cannot be read: ${code}.`);
      });
      const verdict = await verify(createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY }), head);
      await writeJson({ result: verdict.problem === undefined ? 'intact' : 'broken', ...verdict });
      return verdict.problem === undefined ? 0 : 1;
    },
  },
];

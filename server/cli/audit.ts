import { pipeline } from 'node:stream/promises';
import { chain } from '../modules/audit/chaining.ts';
import { exported } from '../modules/audit/exporting.ts';
import { type Format, forms } from '../modules/audit/formats.ts';
import { insertEvent } from '../modules/audit/queries.ts';
import { type Call, type Command, type Outcome, org, organisationOf, UsageError } from './command.ts';

async function exportAudit(call: Call): Promise<Outcome> {
  const name = call.text('format') ?? 'jsonl';
  if (!(name in forms)) throw new UsageError(`--format must be one of ${Object.keys(forms).join(', ')}.`);
  const { tx } = await organisationOf(call);
  await insertEvent(tx, 'audit_exports', null, { format: name });
  await chain(tx);
  await pipeline(await exported(tx, {}, forms[name as Format]), process.stdout, { end: false });
  return { json: {}, text: '' };
}

export const auditCommands: readonly Command[] = [
  {
    words: 'audit export',
    about: 'Write the audit log to standard output; `atrium audit verify` takes the jsonl',
    options: { org, format: { value: 'jsonl|csv|ocsf', about: 'Default: jsonl.' } },
    run: exportAudit,
  },
];

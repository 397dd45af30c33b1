import { routes } from '../../kernel/http/routes.ts';
import { NO_HASH } from './chain.ts';
import { chain } from './chaining.ts';
import { audit, siem } from './contract.ts';
import { exported } from './exporting.ts';
import { forms } from './formats.ts';
import * as queries from './queries.ts';
import { securityEvents } from './siem.ts';

export const auditRoutes = routes(audit, {
  async listAuditEntries({ tx, query }) {
    await chain(tx);
    const page = await queries.listEntries(tx, query);
    const { sequence = 0, hash = NO_HASH } = (await queries.findHead(tx)) ?? {};
    return { ...page, meta: { head: { sequence, hash } } };
  },
  async exportAudit({ tx, query: { format = 'jsonl', ...filter } }) {
    // Who reads all of it is in it.
    await queries.insertEvent(tx, 'audit_exports', null, { format, ...filter });
    await chain(tx);
    const form = forms[format];
    return { stream: await exported(tx, filter, form), media: form.media, file_name: form.file_name };
  },
});

export const siemRoutes = routes(siem, {
  async listSecurityEvents({ tx, params, services }) {
    await chain(tx);
    return { stream: securityEvents(tx, params, services.config), media: 'application/json; charset=utf-8' };
  },
});

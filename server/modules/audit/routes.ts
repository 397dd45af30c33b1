import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json } from '../../kernel/data/db.ts';
import { routes } from '../../kernel/http/routes.ts';
import { NO_HASH } from './chain.ts';
import { chain } from './chaining.ts';
import { audit, siem } from './contract.ts';
import { exported } from './exporting.ts';
import { forms } from './formats.ts';
import { purposeOf } from './pushing.ts';
import * as queries from './queries.ts';
import { securityEvents } from './siem.ts';
import * as sinks from './sinks.ts';

const SINKS_MAX = 10;

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
  listAuditSinks: async ({ tx }) => `[${(await sinks.listSinks(tx)).join(',')}]` as Json,
  async createAuditSink({ tx, actor, body: { url, format = 'jsonl', authorization }, services: { egress, sealing } }) {
    await egress.check(url).catch((error: Error) => refuse('address_refused', error.message, { path: 'url' }));
    if ((await sinks.countSinks(tx)) >= SINKS_MAX) refuse('too_many_sinks', `There are ${SINKS_MAX} already.`);
    const authorization_sealed = authorization === undefined ? null : sealing.seal(purposeOf(tx), authorization);
    // What was done before is not for it.
    await chain(tx);
    return sinks.insertSink(tx, { url, format, authorization_sealed, created_by: actor.user_id });
  },
  deleteAuditSink: async ({ tx, params }) => (await sinks.deleteSink(tx, params.id)) ?? refuseNotFound(),
});

export const siemRoutes = routes(siem, {
  async listSecurityEvents({ tx, params, services }) {
    await chain(tx);
    return { stream: securityEvents(tx, params, services.config), media: 'application/json; charset=utf-8' };
  },
});

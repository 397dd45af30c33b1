import type { Json } from '../../kernel/data/db.ts';
import { type Page, toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import { ownOf, seenBy } from '../requests/access.ts';
import { findings } from './contract.ts';
import { adviceOf } from './judging.ts';
import { listFindings, listSummaries } from './queries.ts';

/** With why it matters and what to do. */
export function advised(json: Json): Json {
  const finding = JSON.parse(json) as { rule: string };
  const { why = '', advice = '', chapter = '' } = adviceOf.get(finding.rule) ?? {};
  return toJson({ ...finding, why, advice, chapter });
}
const shown = ({ rows, total }: Page): Page => ({ rows: rows.map(advised), total });

export const findingRoutes = routes(findings, {
  listOwnFindings: async ({ tx, actor, query }) => shown(await listFindings(tx, query, ownOf(actor))),
  listFindings: async ({ tx, actor, query }) => shown(await listFindings(tx, query, seenBy(actor, query))),
  listOwnSummaries: ({ tx, actor, query }) => listSummaries(tx, query, ownOf(actor)),
  listSummaries: ({ tx, actor, query }) => listSummaries(tx, query, seenBy(actor, query)),
});

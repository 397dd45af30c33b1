import type { Sql } from '../kernel/data/sql.ts';
import { judge } from '../modules/findings/judging.ts';
import { knowledgeOf } from '../modules/findings/known.ts';
import { listFindings } from '../modules/findings/queries.ts';
import { advised } from '../modules/findings/routes.ts';
import { modules } from '../modules.ts';
import { type Call, type Outcome, organisationOf } from './command.ts';

const SHOWN_MAX = 500;

interface Shown {
  rule: string;
  kind: string;
  key_id: number | null;
  app_id: number | null;
  seen: string;
  why: string;
  advice: string;
  chapter: string;
  request_ids: string[];
  occurrences: number;
  last_at: string;
}
const textOf = ({ rule, kind, key_id, app_id, seen, why, advice, chapter, request_ids, ...one }: Shown) => {
  const whose = key_id ? `key ${key_id}` : app_id ? `app ${app_id}` : kind;
  const ids = request_ids.length > 0 ? `  ${request_ids.slice(-3).join(' ')}\n` : '';
  const head = `${rule}  ${whose}  ${one.occurrences} times, last ${one.last_at.slice(0, 19)}`;
  return `${head}\n  ${seen}\n  ${why} ${advice} (docs/guides/${chapter})\n${ids}\n`;
};

/** What was logged so far is judged now, not in a minute. */
export async function judgedFindings(call: Call, of: readonly Sql[]): Promise<Outcome> {
  const { tx } = await organisationOf(call);
  await judge(tx, knowledgeOf(modules));
  const { rows } = await listFindings(tx, { skip: 0, take: SHOWN_MAX }, of);
  const findings = rows.map((json) => JSON.parse(advised(json)) as Shown);
  return { json: { findings }, text: findings.map(textOf).join('') || 'There is nothing to find fault with.\n' };
}

import type { Services } from '../../kernel/http/routes.ts';
import type { Module } from '../../kernel/module.ts';
import { settled } from '../requests/log.ts';
import { judge } from './judging.ts';
import { type Knowledge, knowledgeOf } from './known.ts';
import { findingRoutes } from './routes.ts';
import { MINUTE } from './rules/rule.ts';

/** What the request log says of programs, by what the other modules say of their operations. */
export function findings(others: readonly Module[]): Module {
  let known: Knowledge | undefined;
  const judged = new WeakMap<Services, Map<number, number>>();
  /** Organisations are looked at whenever somebody writes there; a minute is soon enough for this. */
  const isDue = (services: Services, organisation_id: number) => {
    const at = judged.get(services) ?? new Map<number, number>();
    const now = services.clock.micros();
    if (now - (at.get(organisation_id) ?? 0) < MINUTE) return false;
    judged.set(services, at.set(organisation_id, now));
    return true;
  };
  return {
    name: 'findings',
    tables: ['request_findings', 'request_judgements', 'request_summaries'],
    routes: [findingRoutes],
    chores: [
      async (tx, services) => {
        if (services.config.request_days === 0 || !isDue(services, tx.organisation_id)) return;
        await settled(services);
        known ??= knowledgeOf(others);
        await judge(tx, known);
      },
    ],
  };
}

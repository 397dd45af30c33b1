import type { Module } from '../../kernel/module.ts';
import { settled } from '../requests/log.ts';
import { judge } from './judging.ts';
import { type Knowledge, knowledgeOf } from './known.ts';
import { findingRoutes } from './routes.ts';

/** What the request log says of programs, by what the other modules say of their operations. */
export function findings(others: readonly Module[]): Module {
  let known: Knowledge | undefined;
  return {
    name: 'findings',
    tables: ['request_findings', 'request_judgements', 'request_summaries'],
    routes: [findingRoutes],
    chores: [
      async (tx, services) => {
        if (services.config.request_days === 0) return;
        await settled(services);
        known ??= knowledgeOf(others);
        await judge(tx, known);
      },
    ],
  };
}

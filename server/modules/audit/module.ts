// Who changed what: from every change of every table to a chain of entries that nobody can alter unseen.
//
//   kernel/data/origin.ts   each statement says who asked for it
//   0084_audit.sql          triggers write what it changed, in the same transaction
//   chaining.ts             makes entries (entries.ts) of that, and chains them (chain.ts), a moment later
//   exporting.ts            the chain as a file, in the forms of formats.ts; siem.ts for security exporters
//   refusals.ts             sign-ins that failed, which change nothing
//   pushing.ts              sends it to sinks (sinks.ts) as it grows
//   retention.ts            takes away what is old, and leaves a checkpoint
import type { Module } from '../../kernel/module.ts';
import { chain } from './chaining.ts';
import { pushEntries } from './pushing.ts';
import { mountRefusals } from './refusals.ts';
import { deleteOld } from './retention.ts';
import { auditRoutes, siemRoutes } from './routes.ts';
import { sinksDue } from './sinks.ts';

export const audit: Module = {
  name: 'audit',
  tables: ['audit_changes', 'audit_entries', 'audit_heads', 'audit_sinks'],
  routes: [auditRoutes, siemRoutes],
  chores: [(tx) => chain(tx), (tx, { config }) => deleteOld(tx, config.audit_days), pushEntries],
  due: sinksDue,
  mount: mountRefusals,
};

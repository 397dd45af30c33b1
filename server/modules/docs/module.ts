import type { Module } from '../../kernel/module.ts';
import { mountDocs } from './routes.ts';

/** The API document of every module. */
export const docs = (others: readonly Module[]): Module => ({
  name: 'docs',
  mount: (app) => mountDocs(app, others),
});

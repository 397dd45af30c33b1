import type { Module } from '../../kernel/module.ts';
import { innerAuthenticator } from './calling.ts';
import { mountMcp } from './routes.ts';

/** Tools for assistants: operations of all modules, by the Model Context Protocol. */
export const mcp = (others: readonly Module[]): Module => ({
  name: 'mcp',
  authenticators: () => [innerAuthenticator],
  mount: (app, services, node) => mountMcp(app, services, node, others),
});

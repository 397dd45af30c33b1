import type { Module } from '../../kernel/module.ts';

/** Who is spoken of; see access.ts. */
export const mentions: Module = { name: 'mentions', tables: ['mentions'] };

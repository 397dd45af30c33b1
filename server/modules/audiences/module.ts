import type { Module } from '../../kernel/module.ts';

/** Whom content is for; the tables `<noun>_audiences` belong to the families of content. */
export const audiences: Module = { name: 'audiences' };

import type { Module } from '../../kernel/module.ts';
import { detachFiles } from '../assets/queries.ts';
import { hangsOnContent } from './family.ts';

/** What pages, articles, updates, kudos and events have in common; see family.ts. */
export const content: Module = { name: 'content', contributes: [hangsOnContent(detachFiles)] };

import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { hangsOnContent } from '../content/family.ts';
import { deleteCommentsOn } from './queries.ts';
import { commentRoutes } from './routes.ts';

export const comments: Module = {
  name: 'comments',
  tables: ['comments'],
  routes: commentRoutes,
  contributes: [everybodysFamily('comments'), hangsOnContent(deleteCommentsOn)],
};

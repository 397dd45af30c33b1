import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { hangsOnContent, viewerColumns } from '../content/family.ts';
import { deleteLikesOf, reactionOf } from './queries.ts';
import { likeRoutes } from './routes.ts';

export const likes: Module = {
  name: 'likes',
  tables: ['likes'],
  routes: likeRoutes,
  contributes: [everybodysFamily('likes'), hangsOnContent(deleteLikesOf), viewerColumns(reactionOf)],
};

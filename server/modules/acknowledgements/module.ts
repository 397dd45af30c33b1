import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { hangsOnContent, viewerColumns } from '../content/family.ts';
import { acknowledgedBy, deleteAcknowledgementsOf } from './queries.ts';
import { acknowledgementRoutes } from './routes.ts';

export const acknowledgements: Module = {
  name: 'acknowledgements',
  tables: ['acknowledgements'],
  routes: acknowledgementRoutes,
  contributes: [
    everybodysFamily('acknowledgements'),
    hangsOnContent(deleteAcknowledgementsOf),
    viewerColumns(acknowledgedBy),
  ],
};

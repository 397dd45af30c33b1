import type { Module } from '../../kernel/module.ts';
import { moderatedFamily } from '../../kernel/people/scopes.ts';
import { billboardRoutes } from './routes.ts';

export const billboards: Module = {
  name: 'billboards',
  tables: ['billboards', 'billboard_audiences'],
  routes: [billboardRoutes],
  contributes: [moderatedFamily('billboards')],
};

import type { Module } from '../../kernel/module.ts';
import { featuredRoutes } from './routes.ts';

/** What spaces show at their top. */
export const featured: Module = { name: 'featured', tables: ['space_features'], routes: [featuredRoutes] };

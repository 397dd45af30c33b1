import type { Module } from '../../kernel/module.ts';
import { directoryRoutes } from './routes.ts';

/** Colleagues as people look for them; what is written of them is the users module's. */
export const directory: Module = { name: 'directory', routes: [directoryRoutes] };

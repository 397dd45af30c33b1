import type { Module } from '../../kernel/module.ts';
import { mountHealth } from './routes.ts';

export const health: Module = { name: 'health', mount: mountHealth };

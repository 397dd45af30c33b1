import type { Module } from '../../kernel/module.ts';
import { reactionRoutes } from './routes.ts';

/** Reactions beside likes, as rows of `likes`. */
export const reactions: Module = { name: 'reactions', routes: [reactionRoutes] };

import type { Module } from '../../kernel/module.ts';
import { suggestionRoutes } from './routes.ts';

/** What somebody may mean while they type. */
export const suggestions: Module = { name: 'suggestions', routes: [suggestionRoutes] };

import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { contentFamilies } from '../content/family.ts';
import { followingSpaces } from '../content/following.ts';
import { publicNow } from '../content/lists.ts';
import { followsSpace } from '../spaces/following.ts';
import * as events from './events.ts';
import { articleFamily } from './family.ts';
import { articleRoutes } from './routes.ts';
import { archiveArticlesOf, articlesDue, moveDueArticles } from './states.ts';

export const articles: Module = {
  name: 'articles',
  tables: ['articles', 'article_translations', 'article_audiences'],
  routes: [articleRoutes],
  events: Object.values(events),
  visibility: { article: publicNow(articleFamily) },
  lists: [articleFamily.list],
  chores: [moveDueArticles],
  due: articlesDue,
  contributes: [
    everybodysFamily('articles'),
    contentFamilies(articleFamily),
    followsSpace({ ...followingSpaces(articleFamily), archived: archiveArticlesOf }),
  ],
};

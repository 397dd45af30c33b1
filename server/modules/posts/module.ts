import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { contentFamilies } from '../content/family.ts';
import { followingSpaces } from '../content/following.ts';
import { publicNow } from '../content/lists.ts';
import { followsSpace } from '../spaces/following.ts';
import * as events from './events.ts';
import { postFamilies } from './family.ts';
import { kudosRoutes, updateRoutes } from './routes.ts';

const { update, kudos } = postFamilies;
export const posts: Module = {
  name: 'posts',
  tables: [
    ...['updates', 'update_translations', 'update_audiences'],
    ...['kudos', 'kudos_translations', 'kudos_audiences', 'kudos_recipients'],
  ],
  routes: [updateRoutes, kudosRoutes],
  events: Object.values(events),
  visibility: { update: publicNow(update), kudos: publicNow(kudos) },
  lists: [update.list, kudos.list],
  contributes: [
    everybodysFamily('updates'),
    everybodysFamily('kudos'),
    contentFamilies(update),
    contentFamilies(kudos),
    followsSpace(followingSpaces(update)),
    followsSpace(followingSpaces(kudos)),
  ],
};

import { frameHosts } from '../../kernel/html/html.ts';
import type { Module } from '../../kernel/module.ts';
import { showsFiles } from '../assets/addresses.ts';
import { detachFiles } from '../assets/queries.ts';
import { deleteMentionsIn } from '../mentions/queries.ts';
import { contentNouns } from './contract.ts';
import { familyOf, hangsOnContent } from './family.ts';
import { publicNow } from './lists.ts';

const players = [
  'www.youtube.com',
  'www.youtube-nocookie.com',
  'player.vimeo.com',
  'open.spotify.com',
  'docs.google.com',
  'forms.office.com',
  'app.powerbi.com',
  'web.microsoftstream.com',
];

/** What pages, articles, updates, kudos and events have in common; see family.ts. */
export const content: Module = {
  name: 'content',
  contributes: [
    hangsOnContent(detachFiles),
    ...contentNouns.map((kind) => showsFiles({ kind, seen: (ids, reader) => publicNow(familyOf(kind))(ids, reader) })),
    hangsOnContent(deleteMentionsIn),
    ...players.map((host) => frameHosts(host)),
  ],
};

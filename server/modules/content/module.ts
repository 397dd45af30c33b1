import { frameHosts } from '../../kernel/html/html.ts';
import type { Module } from '../../kernel/module.ts';
import { detachFiles } from '../assets/queries.ts';
import { hangsOnContent } from './family.ts';

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
  contributes: [hangsOnContent(detachFiles), ...players.map((host) => frameHosts(host))],
};

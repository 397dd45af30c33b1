// The icons that the app uses, by their Lucide names, as one sprite: `<Icon name="heart">` refers to it.
import icons from '@iconify-json/lucide/icons.json' with { type: 'json' };
import type { Plugin } from 'vite';

export const iconNames = [
  ...['home', 'users', 'layout-grid', 'message-circle', 'calendar', 'file-text', 'newspaper', 'search', 'log-out'],
  ...['heart', 'map-pin', 'globe', 'lock', 'eye-off', 'check', 'x', 'ellipsis', 'trash-2', 'arrow-left', 'award'],
  ...['chevron-right', 'send', 'mail', 'phone', 'clock', 'paperclip', 'circle-user', 'megaphone', 'book-open'],
  ...['bell-off', 'bot', 'wifi-off', 'circle-alert', 'pencil', 'bookmark', 'list-checks'],
  ...['sun', 'moon', 'monitor', 'target', 'medal', 'keyboard', 'chevron-down', 'chevron-left'],
  ...['plus', 'settings', 'network', 'key-round', 'bell', 'languages', 'smartphone', 'shield'],
  ...['camera', 'star', 'radio', 'user-plus', 'copy', 'flag', 'external-link', 'building-2'],
  ...['cake', 'link'],
  ...['bold', 'italic', 'code', 'image', 'list', 'list-ordered', 'quote', 'info', 'table', 'minus', 'heading'],
  ...['undo-2', 'redo-2', 'between-vertical-start', 'between-horizontal-start', 'fold-vertical', 'fold-horizontal'],
  ...['arrow-up', 'arrow-down', 'indent-increase', 'indent-decrease', 'folder', 'folder-plus', 'upload', 'download'],
] as const;
export type IconName = (typeof iconNames)[number];

const SPRITE = 'virtual:icons.svg';
export function iconSprite(): Plugin {
  const { icons: known, aliases } = icons as {
    icons: Record<string, { body: string }>;
    aliases: Record<string, { parent: string }>;
  };
  const symbols = iconNames.map((name) => {
    const icon = known[name] ?? known[aliases[name]?.parent ?? ''];
    if (!icon) throw new Error(`Lucide has no icon "${name}".`);
    return `<symbol id="${name}" viewBox="0 0 24 24">${icon.body}</symbol>`;
  });
  const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
  let serving = false;
  return {
    name: 'icon-sprite',
    configResolved({ command }) {
      serving = command === 'serve';
    },
    resolveId: (id) => (id === SPRITE ? `\0${SPRITE}` : null),
    load(id) {
      if (id !== `\0${SPRITE}`) return null;
      if (serving) return `export default ${JSON.stringify('/@icons.svg')}`;
      const file = this.emitFile({ type: 'asset', name: 'icons.svg', source: sprite });
      return `export default import.meta.ROLLUP_FILE_URL_${file}`;
    },
    configureServer({ middlewares }) {
      middlewares.use('/@icons.svg', (_request, response) => {
        response.setHeader('content-type', 'image/svg+xml').end(sprite);
      });
    },
  };
}

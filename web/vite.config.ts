// How the pages are made. `build.ts` calls it; `npm run dev:web` serves the same with hot reload.
import { defineConfig } from 'vite';
import { iconSprite } from './icons.ts';
import { compiledWords } from './words.ts';

const api = process.env.ATRIUM_API ?? 'http://127.0.0.1:4000';
const behind = ['/v1', '/files', '/avatars', '/docs', '/openapi.json'];

/** What a text editor is made of is loaded with the first one. */
const SHARED = /web.(style|kernel|ui|families.(content|mentions))|node_modules.(?!prosemirror|orderedmap|rope-|w3c-)/;

// biome-ignore lint/style/noDefaultExport: Vite asks for it.
export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [iconSprite(), compiledWords()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What nearly every screen needs comes in one file: many small ones would each be a request.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'shared', test: SHARED, priority: 2 },
            { name: 'editor', test: /node_modules|web.editor/, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(behind.map((path) => [path, { target: api, changeOrigin: false, ws: true }])) },
});

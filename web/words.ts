// Words in ICU MessageFormat (words/*.json) become functions when the pages are built: `t('likes', { n: 3 })`.
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import type { Plugin } from 'vite';

type Words = { [key: string]: string | Words };

/** A function body, as source: `a` are the arguments, `p` picks a plural category, `f` formats a number. */
function source(elements: readonly MessageFormatElement[], counted = ''): string {
  const parts = elements.map((element): string => {
    switch (element.type) {
      case TYPE.literal:
        return JSON.stringify(element.value);
      case TYPE.argument:
        return `a.${element.value}`;
      case TYPE.number:
        return `f(a.${element.value})`;
      case TYPE.pound:
        return `f(a.${counted})`;
      case TYPE.select:
      case TYPE.plural: {
        const isPlural = element.type === TYPE.plural;
        const cases = Object.entries(element.options).map(
          ([name, { value }]) => `${JSON.stringify(name)}:()=>${source(value, isPlural ? element.value : counted)}`,
        );
        return `${isPlural ? 'p' : 's'}(a.${element.value},{${cases.join(',')}})`;
      }
      default:
        throw new Error(`Words may not use element type ${element.type}.`);
    }
  });
  return parts.length === 0 ? '""' : parts.join('+');
}

const compiled = (words: Words): string =>
  `{${Object.entries(words)
    .map(([key, value]) => {
      const made = typeof value === 'string' ? `(a,p,s,f)=>""+${source(parse(value))}` : compiled(value);
      return `${JSON.stringify(key)}:${made}`;
    })
    .join(',')}}`;

export const compiledWords = (): Plugin => ({
  name: 'compiled-words',
  enforce: 'pre',
  transform: {
    filter: { id: /\/words\/[\w-]+\.json$/ },
    handler: (text) => ({ code: `export default ${compiled(JSON.parse(text))}`, moduleType: 'js', map: null }),
  },
});

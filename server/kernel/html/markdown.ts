// Text that ships with the program (guides, change history) as HTML. What clients write never comes here.
import { escaped } from '../http/markup.ts';

/** `addressOf` gives a link its address; undefined leaves its text alone. */
export async function markdown(
  text: string,
  addressOf: (written: string) => string | undefined = (written) => written,
) {
  // Loaded by the first page: most processes never show one.
  const { Marked } = await import('marked');
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchorOf(text)}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const [address, inner] = [addressOf(href), this.parser.parseInline(tokens)];
        return address === undefined ? inner : `<a href="${escaped(address)}">${inner}</a>`;
      },
    },
  });
  return marked.parse(text, { async: false });
}

/** As code hosts make it, so that a link to a chapter is right in both places. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

// Who is spoken of in what people write: `@Emi Tanaka` in the text, and beside it whom that means.
import { call } from '../../kernel/call.ts';
import type { Contract, QueryOf, ReplyOf } from '../../kernel/contracts.ts';

type Suggest = Contract['GET /v1/suggest'];
export type Suggestion = ReplyOf<Suggest>[number];
export type Mention = Pick<Suggestion, 'type' | 'id' | 'name'>;
/** For whom the text is. */
export type Place = Pick<QueryOf<Suggest>, 'type' | 'id' | 'channel_url' | 'space_ids' | 'team_ids'>;

export const suggest = async (q: string, place: Place, signal: AbortSignal) =>
  (await call('GET /v1/suggest', { query: { q, ...place }, signal })).data;

/** Teams have no page of their own. */
export const hrefOf = ({ type, id }: Mention) =>
  type === 'user' ? `/directory/people/${id}` : type === 'space' ? `/spaces/${id}` : undefined;

export interface Piece {
  text: string;
  href?: string | undefined;
  mention?: Mention;
}
const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/;
/** The text as it is read: words, addresses and mentions. */
export function piecesOf(text: string, mentions: readonly Mention[] = []): Piece[] {
  // Of two names the longer one is meant.
  const [first, ...others] = mentions.toSorted((a, b) => b.name.length - a.name.length);
  if (!first)
    return text
      .split(ADDRESS)
      .map((part, n) => (n % 2 === 1 ? { text: part, href: part } : { text: part }))
      .filter((piece) => piece.text !== '');
  const name = `@${first.name}`;
  return text
    .split(name)
    .flatMap((part, n) => [
      ...(n > 0 ? [{ text: name, href: hrefOf(first), mention: first }] : []),
      ...piecesOf(part, others),
    ]);
}

/** Those whose names still stand in the text, as the server takes them. */
export function mentionedIn(text: string, mentions: readonly Mention[]) {
  const found = piecesOf(text, mentions).flatMap(({ mention }) => mention ?? []);
  const ids = (wanted: Mention['type']) => {
    const list = [...new Set(found.flatMap(({ type, id }) => (type === wanted ? [id] : [])))];
    return list.length > 0 ? { [`mentioned_${wanted}_ids`]: list } : {};
  };
  return { ...ids('user'), ...ids('team'), ...ids('space') };
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const htmlOfPiece = ({ text, href, mention }: Piece) => {
  const words = escaped(text).replaceAll('\n', '<br />');
  const at = href ? ` href="${escaped(new URL(href, location.origin).href)}"` : '';
  if (mention) return `<a data-${mention.type}-id="${mention.id}"${at}>${words}</a>`;
  return href ? `<a${at}>${words}</a>` : words;
};
/** Plain text where nobody is mentioned, else HTML in which elements say who is meant. */
export function bodyOf(text: string, mentions: readonly Mention[]): { text: string } | { html: string } {
  if (Object.keys(mentionedIn(text, mentions)).length === 0) return { text };
  const blocks = text.split(/\n{2,}/).filter((block) => block.trim() !== '');
  return { html: blocks.map((block) => `<p>${piecesOf(block, mentions).map(htmlOfPiece).join('')}</p>`).join('') };
}

import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { Creator } from '../content/contract.ts';

export const searchTypes = [
  'user',
  'page',
  'article',
  'update',
  'kudos',
  'event',
  'comment',
  'space',
  'team',
  'document',
  'goal',
  'badge',
] as const;
export type SearchType = (typeof searchTypes)[number];
export const suggestedTypes = ['user', 'page', 'space'] as const satisfies readonly SearchType[];

export const QUERY_MAX = 500;
export const SearchResult = t.Object(
  {
    type: t.OneOf(searchTypes),
    id: t.Id(),
    title: t.Text(600, 'Plain text; of what has no title, how it begins.'),
    snippet: t.Text(4000, 'HTML: plain text around what was found, which stands in <mark>.'),
    url: t.Url(),
    creator: t.Nullable(Creator),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
    score: t.Unsafe<number>({ type: 'number', description: 'How well it fits; comparable within one answer.' }),
  },
  { title: 'SearchResult' },
);
const Suggestion = t.Object(
  {
    type: t.OneOf(suggestedTypes),
    id: t.Id(),
    title: t.Text(600),
    subtitle: t.Text(600, 'Of a person: job title and e-mail.'),
    url: t.Url(),
  },
  { title: 'SearchSuggestion' },
);

const types = t.Optional(
  t.Array(t.OneOf(searchTypes), { 'x-separated': true, maxItems: 20, description: 'Default: all that may be read.' }),
);
const query = t.Object({
  q: t.Optional(t.Text(QUERY_MAX, 'Words, in any language; "in quotes" only side by side. Omitted: the newest.')),
  types,
  creator_id: t.Optional(t.Id()),
  creator_email: t.Optional(t.Email('The creator by e-mail.')),
  space_ids: t.Optional(t.IdList('In one of these spaces.')),
  ...t.days,
  language: t.Optional(t.Language('Written in, or translated into, this language, and shown in it.')),
  sort: t.Optional(t.OneOf(['relevance', 'newest'], 'Default relevance; newest: by the day of creation.')),
});
const meta = t.Object({
  is_total_exact: t.Flag('False: there are more than total_records, which are not listed.'),
  did_you_mean: t.Nullable(t.Text(QUERY_MAX)),
});
const searches = { query, list: SearchResult, meta } as const;
const description =
  'Best first: exact titles, names and external ids, then titles, then texts. Other forms and beginnings of words, ' +
  'slips of the pen and missing accents are found too. It has what the caller sees, drafts of theirs included, and ' +
  'nothing that is archived. At most the best 300 are listed.';

export const search = family('search', 'Finding what people may see, and people.', {
  search: endpoint('GET /v1/search', 'Search', {
    description,
    ...searches,
    example: { query: { q: 'berlin store', take: 10 } },
  }),
  advancedSearch: endpoint('GET /v1/jwt/advanced-search', 'Search for a person', {
    description,
    actors: 'person',
    ...searches,
    example: { query: { q: 'berlin', types: 'update,user' } },
  }),
  suggest: endpoint('GET /v1/search/suggest', 'Suggest while somebody types', {
    description: 'People, pages and spaces whose names have all the words, the last of which may just begin.',
    query: t.Object({
      q: t.RequiredText(QUERY_MAX),
      types: t.Optional(t.Array(t.OneOf(suggestedTypes), { 'x-separated': true, maxItems: 3 })),
      take: t.Optional(t.Integer({ minimum: 1, maximum: 20, description: 'How many; default 8.' })),
    }),
    reply: t.Array(Suggestion),
    example: { query: { q: 'ad' } },
  }),
});

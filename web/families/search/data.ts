import { call } from '../../kernel/call.ts';
import type { Contract, QueryOf, ReplyOf } from '../../kernel/contracts.ts';
import type { Choice } from '../../ui/picker.tsx';

export type Found = ReplyOf<Contract['GET /v1/search']>[number];
export type Suggestion = ReplyOf<Contract['GET /v1/search/suggest']>[number];
export type FoundType = Found['type'];
/** People first: they are what is looked for most. */
export const foundTypes: readonly FoundType[] = [
  ...(['user', 'space', 'team', 'page', 'article', 'update'] as const),
  ...(['kudos', 'event', 'comment', 'document', 'goal', 'badge'] as const),
];

/** A search as its address has it: all texts, what is not asked for empty. */
export const asked = ['q', 'type', 'space', 'person', 'from', 'to', 'language', 'sort', 'page'] as const;
export type Asked = Partial<Record<(typeof asked)[number], string>>;

export const RESULTS_SHOWN = 20;
const dateOf = (text: string | undefined) => (/^\d{4}-\d\d-\d\d$/.test(text ?? '') ? text : undefined);
const numberOf = (text: string | undefined) => Number(text) || undefined;
export function search({ q, type, space, person, from, to, language, sort, page }: Asked) {
  const query = {
    q: q || undefined,
    types: foundTypes.filter((one) => one === type),
    creator_id: numberOf(person),
    space_ids: space ? [space] : [],
    startDate: dateOf(from),
    endDate: dateOf(to),
    language: language || undefined,
    sort: sort === 'newest' ? 'newest' : undefined,
    skip: RESULTS_SHOWN * ((numberOf(page) ?? 1) - 1),
    take: RESULTS_SHOWN,
  };
  const given = Object.entries(query).filter(([, value]) => value !== undefined && String(value) !== '');
  return call('GET /v1/search', { query: Object.fromEntries(given) as QueryOf<Contract['GET /v1/search']> });
}

export const suggest = async (q: string, signal: AbortSignal) =>
  (await call('GET /v1/search/suggest', { query: { q, take: 12 }, signal })).data;

/** Choices for a picker of people, teams or spaces. */
const finder =
  (...kinds: ('user' | 'team' | 'space')[]) =>
  async (q: string, signal: AbortSignal): Promise<readonly Choice[]> =>
    (await call('GET /v1/suggest', { query: { q, kinds }, signal })).data.map(({ note, type, ...one }) => ({
      ...one,
      type,
      // Of a space it is how visible it is, which is no word of the person's language.
      note: type === 'space' ? undefined : note,
    }));
export const findPeople = finder('user');
export const findSpaces = finder('space');
export const findTeams = finder('team');
export const findPeopleAndTeams = finder('user', 'team');

/** What the address says only by its id. */
export const personChoice = async (id: number): Promise<Choice> => {
  const { name, avatar_url } = (await call('GET /v1/users/{id}', { params: { id } })).data;
  return { type: 'user', id, name, avatar_url };
};
export const spaceChoice = async (id: number): Promise<Choice> => {
  const { name, avatar_url } = (await call('GET /v1/spaces/{id}', { params: { id } })).data;
  return { type: 'space', id, name, avatar_url };
};
/** Links of the server are whole; within the app the path is enough. */
export const pathOf = (url: string) => {
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
};

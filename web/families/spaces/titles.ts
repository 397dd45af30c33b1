import { request } from '../../kernel/call.ts';
import { nouns } from '../content/data.ts';
import type { Featured } from './data.ts';

const LENGTH = 100;
const plurals = Object.fromEntries(Object.entries(nouns).map(([plural, noun]) => [noun, plural]));

/** How it is called, or begins. */
export const titleOf = async ({ type, id }: Featured): Promise<string | undefined> => {
  const asked = request<{ title?: string; text?: string }>(`GET /v1/${plurals[type]}/${id}`);
  const { title, text } = await asked.then(
    ({ data }) => data,
    (): { title?: string; text?: string } => ({}),
  );
  return title ?? text?.slice(0, LENGTH);
};

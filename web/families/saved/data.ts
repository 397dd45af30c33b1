import { call, request } from '../../kernel/call.ts';
import { list } from '../../kernel/lists.ts';
import { change, type Row } from '../../kernel/rows.ts';
import { type Counted, type Kind, nouns } from '../content/data.ts';

export interface SavedRow extends Row {
  kind: Kind;
}
const kinds = Object.fromEntries(Object.entries(nouns).map(([kind, noun]) => [noun, kind])) as Record<string, Kind>;

export const savedThings = () =>
  list(
    'saved',
    ({ kind }: SavedRow) => kind,
    async (skip, take) => {
      const { data: items, meta } = await call('GET /v1/saved', { query: { skip, take } });
      const data = items.map(({ type, resource }) => ({ ...(resource as unknown as Row), kind: kinds[type] as Kind }));
      return { data, meta };
    },
  );

/** Shown at once, and taken back if the server refuses. */
export async function setSaved(kind: Kind, { id, viewer }: Counted, saved_by_me: boolean) {
  const undo = change<Counted>(kind, id, viewer ? { viewer: { ...viewer, saved_by_me } } : {});
  await request(`${saved_by_me ? 'PUT' : 'DELETE'} /v1/saved/${nouns[kind]}/${id}`).catch((error) => {
    undo();
    throw error;
  });
}

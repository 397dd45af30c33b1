import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import { drafts } from './contract.ts';
import * as queries from './queries.ts';

export const draftRoutes = routes(drafts, {
  listDrafts: ({ tx, actor, query }) => queries.listDrafts(tx, actor.user_id, query),
  getDraft: async ({ tx, actor, params }) =>
    (await queries.findDraft(tx, actor.user_id, params.key)) ?? refuseNotFound(),
  async keepDraft({ tx, actor, params: { key }, body: { fields, version = 0 } }) {
    const kept = await queries.upsertDraft(tx, actor.user_id, key, fields, version);
    if (kept) return kept;
    const other = await queries.findDraft(tx, actor.user_id, key);
    if (!other) refuse('too_many_drafts', 'There are too many drafts: forget one first.');
    const meta = { draft: JSON.parse(other) };
    return refuse('draft_changed', 'Another device kept this draft meanwhile.', { path: 'version', meta });
  },
  async deleteDraft({ tx, actor, params: { key } }) {
    await queries.deleteDraft(tx, actor.user_id, key);
    return toJson({ key });
  },
});

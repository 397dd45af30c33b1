import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce } from '../../kernel/data/deletion.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes, type Services } from '../../kernel/http/routes.ts';
import { withPictures } from '../pictures/queries.ts';
import { importedAt, peopleOf } from '../users/access.ts';
import { type BadgeReplacement, badges, type Holders, type Rule } from './contract.ts';
import * as queries from './queries.ts';
import { queueAwards } from './worker.ts';

export const badgeRoutes = routes(badges, {
  listBadges: ({ tx, query }) => queries.listBadges(tx, query.skip, query.take),
  getBadge: async ({ tx, params }) => (await queries.findBadge(tx, params.id)) ?? refuseNotFound(),
  createBadge: ({ tx, actor, services, body }) =>
    write(tx, services, body, (inside, badge) =>
      queries.insertBadge(inside, { ...badge, created_at: importedAt(inside, actor, body.created_at) }),
    ),
  replaceBadge: ({ tx, services, params, body }) =>
    write(
      tx,
      services,
      body,
      async (inside, badge) => (await queries.updateBadge(inside, params.id, badge)) ?? refuseNotFound(),
    ),
  async deleteBadge(call) {
    const { id } = call.params;
    await deleteOnce(call, 'badge', id, (inside) => queries.deleteBadge(inside, id));
    return toJson({ id });
  },

  async listBadgeUsers({ tx, params, query }) {
    if (!(await queries.findBadge(tx, params.id))) refuseNotFound();
    return queries.listBadgeUsers(tx, params.id, query.skip, query.take);
  },
  assignBadge: ({ tx, actor, params, body }) =>
    changeHolders(tx, params.id, body, async (inside, user_ids) => ({
      users_added: await queries.insertBadgeUsers(
        inside,
        params.id,
        user_ids,
        importedAt(inside, actor, body.created_at),
      ),
      users_removed: 0,
    })),
  unassignBadge: ({ tx, params, body }) =>
    changeHolders(tx, params.id, body, async (inside, user_ids) => ({
      users_added: 0,
      users_removed: await queries.deleteBadgeUsers(inside, params.id, user_ids),
    })),
  unassignBadgeFromUser: ({ tx, params }) =>
    tx.transaction(async (inside) => {
      if ((await queries.deleteBadgeUsers(inside, params.id, [params.user_id])) === 0) refuseNotFound();
      return (await queries.findBadge(inside, params.id)) ?? refuseNotFound();
    }),
});

const write = (
  tx: Tx,
  { storage }: Services,
  body: BadgeReplacement,
  store: (tx: Tx, badge: queries.BadgeFields) => Promise<Json>,
) =>
  withPictures(
    storage,
    tx.organisation_id,
    { image: body.image, award_image: body.award_image },
    ({ image, award_image }) =>
      tx.transaction(async (inside) => {
        await checkRules(inside, body.rules ?? []);
        const badge = await store(inside, { ...body, image_key: image, award_image_key: award_image });
        if (body.rules_active) await queueAwards(inside);
        return badge;
      }),
  );

const YEARS_MAX = 100;
async function checkRules(tx: Tx, rules: readonly Rule[]) {
  const known = await queries.listBadgeIds(
    tx,
    rules.flatMap(({ badge_id }) => badge_id ?? []),
  );
  rules.forEach(({ type, threshold, badge_id }, n) => {
    const [needed, other] =
      type === 'badge_held' ? (['badge_id', 'threshold'] as const) : (['threshold', 'badge_id'] as const);
    const given = { threshold, badge_id };
    if (given[needed] === undefined) refuseInvalid(`rules[${n}].${needed}`, `is required for ${type}`);
    if (type === 'years_of_service' && threshold !== undefined && threshold > YEARS_MAX)
      refuseInvalid(`rules[${n}].threshold`, `must be ${YEARS_MAX} years or less`);
    if (given[other] !== undefined) refuseInvalid(`rules[${n}].${other}`, `is not for ${type}`);
    if (badge_id !== undefined && !known.includes(badge_id))
      refuse('badge_not_found', 'There is no such badge.', { path: `rules[${n}].badge_id` });
  });
}

const changeHolders = (
  tx: Tx,
  id: number,
  body: Holders,
  change: (tx: Tx, user_ids: readonly number[]) => Promise<{ users_added: number; users_removed: number }>,
) =>
  tx.transaction(async (inside) => {
    if (!(await queries.lockBadge(inside, id))) refuseNotFound();
    const people = await peopleOf(inside, [
      { field: 'user_id', values: body.user_id === undefined ? [] : [body.user_id], external: false, single: true },
      {
        field: 'user_external_id',
        values: body.user_external_id === undefined ? [] : [body.user_external_id],
        external: true,
        single: true,
      },
      { field: 'user_ids', values: body.user_ids ?? [], external: false },
      { field: 'user_external_ids', values: body.user_external_ids ?? [], external: true },
    ]);
    const user_ids = [...people.values()].flat();
    if (user_ids.length === 0)
      refuseInvalid('user_ids', 'must name at least one person, or user_id, user_external_id, user_external_ids');
    const meta = await change(inside, user_ids);
    return { data: (await queries.findBadge(inside, id)) ?? refuseNotFound(), meta };
  });

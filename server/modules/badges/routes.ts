import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce } from '../../kernel/data/deletion.ts';
import type { Values } from '../../kernel/data/rows.ts';
import { given } from '../../kernel/data/sql.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { getRow, insertRow, listFamily, replaceRow, storingPictures } from '../pictures/rows.ts';
import { importedAt, peopleOf } from '../users/access.ts';
import { type BadgeReplacement, badges, type Holders, type Rule } from './contract.ts';
import * as queries from './queries.ts';
import { queueAwards } from './worker.ts';

const { badgeFamily } = queries;

export const badgeRoutes = routes(badges, {
  listBadges: ({ tx, query: { user_id, ...page } }) =>
    listFamily(tx, badgeFamily, page, given(user_id, queries.isHeldBy)),
  getBadge: ({ tx, params }) => getRow(tx, badgeFamily, params.id),
  createBadge: (call) =>
    write(call, (tx, badge) => {
      const created_at = importedAt(tx, call.actor, call.body.created_at);
      return insertRow(tx, badgeFamily, { ...badge, created_at });
    }),
  replaceBadge: (call) => write(call, (tx, badge) => replaceRow(tx, badgeFamily, call.params.id, badge)),
  async deleteBadge(call) {
    const { id } = call.params;
    await deleteOnce(call, 'badge', id, (inside) => queries.deleteBadge(inside, id));
    return toJson({ id });
  },

  async listBadgeUsers({ tx, params, query }) {
    await getRow(tx, badgeFamily, params.id);
    return queries.listBadgeUsers(tx, params.id, query);
  },
  assignBadge: ({ tx, actor, params, body }) =>
    changeHolders(tx, params.id, body, async (inside, user_ids) => {
      const created_at = importedAt(inside, actor, body.created_at);
      const users_added = await queries.insertBadgeUsers(inside, params.id, user_ids, created_at);
      return { users_added, users_removed: 0 };
    }),
  unassignBadge: ({ tx, params, body }) =>
    changeHolders(tx, params.id, body, async (inside, user_ids) => ({
      users_added: 0,
      users_removed: await queries.deleteBadgeUsers(inside, params.id, user_ids),
    })),
  unassignBadgeFromUser: ({ tx, params }) =>
    tx.transaction(async (inside) => {
      if ((await queries.deleteBadgeUsers(inside, params.id, [params.user_id])) === 0) refuseNotFound();
      return getRow(inside, badgeFamily, params.id);
    }),
});

/** Whoever meets active rules is looked for once the badge is stored. */
const write = (
  call: Pick<Call, 'tx' | 'services'> & { body: BadgeReplacement },
  store: (tx: Tx, badge: Values) => Promise<Json>,
) =>
  storingPictures(call, badgeFamily, call.body, ({ rules = [], ...badge }) =>
    call.tx.transaction(async (tx) => {
      await refuseUnlessRulesHold(tx, rules);
      const json = await store(tx, { ...badge, rules: JSON.stringify(rules) });
      if (badge.rules_active) await queueAwards(tx);
      return json;
    }),
  );

const YEARS_MAX = 100;
async function refuseUnlessRulesHold(tx: Tx, rules: readonly Rule[]) {
  const ids = rules.flatMap(({ badge_id }) => badge_id ?? []);
  const known = await queries.listBadgeIds(tx, ids);
  rules.forEach(({ type, threshold, badge_id }, n) => {
    const given = { threshold, badge_id };
    const [needed, other] =
      type === 'badge_held' ? (['badge_id', 'threshold'] as const) : (['threshold', 'badge_id'] as const);
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
  { user_id, user_external_id, user_ids = [], user_external_ids = [] }: Holders,
  change: (tx: Tx, user_ids: readonly number[]) => Promise<{ users_added: number; users_removed: number }>,
) =>
  tx.transaction(async (inside) => {
    if (!(await queries.lockBadge(inside, id))) refuseNotFound();
    const one = <T>(value: T | undefined) => (value === undefined ? [] : [value]);
    const people = await peopleOf(inside, [
      { field: 'user_id', values: one(user_id), external: false, single: true },
      { field: 'user_external_id', values: one(user_external_id), external: true, single: true },
      { field: 'user_ids', values: user_ids, external: false },
      { field: 'user_external_ids', values: user_external_ids, external: true },
    ]);
    const ids = [...people.values()].flat();
    if (ids.length === 0)
      refuseInvalid('user_ids', 'must name at least one person, or user_id, user_external_id, user_external_ids');
    const meta = await change(inside, ids);
    return { data: await getRow(inside, badgeFamily, id), meta };
  });

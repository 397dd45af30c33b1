import type { Query } from '../../kernel/contract/contract.ts';
import { refuseInvalid } from '../../kernel/contract/errors.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { postedNouns } from '../content/contract.ts';
import { streamsFor } from './access.ts';
import { activity } from './contract.ts';
import { findNewest, findRelevant, listItems } from './feed.ts';
import type { Place } from './posts.ts';
import { listActivity } from './queries.ts';

type Asked = Pick<Call, 'tx' | 'actor' | 'services'>;
/** Plans of many parts, which are made once and look into few rows of each. */
const byIndex = ({ tx, services }: Asked) => services.db.byIndex(tx.organisation_id);
const list = ({ query: { types, ...filter }, ...call }: Asked & { query: Query<Listed> }) =>
  listActivity(byIndex(call), call.actor, streamsFor(call.actor, types), filter);
type Listed = typeof activity.endpoints.listActivity;

const TAKE_DEFAULT = 20;

export const activityRoutes = routes(activity, {
  listActivity: list,
  listPersonsActivity: list,
  async readFeed({ query, ...call }) {
    const { sort = 'newest', types, language, after, take = TAKE_DEFAULT } = query;
    const { tx, actor } = call;
    const readable = streamsFor(actor, types).map(({ type }) => type);
    const nouns = postedNouns.filter((noun) => readable.includes(noun));
    if (nouns.length === 0) return { data: [], meta: { next: null, has_more: false } };
    const isNewest = sort === 'newest';
    const shown = isNewest ? 0 : countOf(after);
    // One more tells whether there are more.
    const keys = isNewest
      ? await findNewest(byIndex(call), actor, nouns, take + 1, placeOf(after))
      : await findRelevant(byIndex(call), actor, nouns, take + 1, shown);
    const has_more = keys.length > take;
    const last = keys.slice(0, take).at(-1);
    const next = isNewest ? last && `${last.at}_${last.type}_${last.id}` : String(shown + take);
    return {
      data: await listItems(tx, actor, keys.slice(0, take), language),
      meta: { next: has_more ? (next ?? null) : null, has_more },
    };
  },
});

const refuseAfter = (): never => refuseInvalid('after', 'must be meta.next of an answer in the same order');
function placeOf(after: string | undefined): Place | undefined {
  if (after === undefined) return undefined;
  const [, at = '', type = '', id] = /^(\d{4}-\d\d-\d\dT[\d:.]{8,15}Z)_([a-z]+)_([1-9]\d{0,15})$/.exec(after) ?? [];
  return Number.isNaN(Date.parse(at)) ? refuseAfter() : { at, type, id: Number(id) };
}
const countOf = (after = '0') => (/^\d{1,4}$/.test(after) ? Number(after) : refuseAfter());

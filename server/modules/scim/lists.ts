// RFC 7644 3.4.2 and 3.4.3: lists of one type or of all, by GET and by POST to /.search.
import { attributePath, type ResourceType } from './attributes.ts';
import type { ScimCall, ScimHandler } from './call.ts';
import { activeOnly, conditionOf, orderOf } from './conditions.ts';
import { fieldOf, isObject } from './document.ts';
import { refuse, ScimError } from './errors.ts';
import { parseFilter } from './filter.ts';
import { listGroupRows } from './group-queries.ts';
import type { ListOptions, Page } from './list-queries.ts';
import { listResponse, renderGroup, renderUser, showsMembers } from './resources.ts';
import { groupType, userType } from './schemas.ts';
import { listUserRows } from './user-queries.ts';

export const COUNT_MAX = 500;
const COUNT_DEFAULT = 100;
/** Sizes of pages whose statements keep their plans. */
const USUAL_COUNTS = new Set([0, 1, 2, 10, 20, 50, 100, 200, 500]);

type Query = ReturnType<typeof readQuery>;
function readQuery({ query }: ScimCall) {
  const filter = textIn(query, 'filter', 'invalidFilter');
  return {
    filter: filter === undefined || filter.trim() === '' ? undefined : parseFilter(filter),
    // RFC 7644 3.4.2.4: less than 1 is 1, a negative count is 0.
    startIndex: Math.max(1, integerIn(query, 'startIndex') ?? 1),
    count: Math.min(COUNT_MAX, Math.max(0, integerIn(query, 'count') ?? COUNT_DEFAULT)),
    sortBy: textIn(query, 'sortBy', 'invalidValue') || undefined,
    descending: String(fieldOf(query, 'sortOrder')).toLowerCase() === 'descending',
  };
}
function textIn(query: ScimCall['query'], name: string, scimType: 'invalidFilter' | 'invalidValue') {
  const given = fieldOf(query, name);
  if (given !== undefined && typeof given !== 'string') return refuse(scimType, `${name} must be one text.`);
  return given;
}
function integerIn(query: ScimCall['query'], name: string): number | undefined {
  const given = fieldOf(query, name);
  if (given === undefined || given === '') return undefined;
  const number = Number(given);
  return Number.isSafeInteger(number) ? number : refuse('invalidValue', `${name} must be an integer.`);
}

/** How many there are, and those of the page as text. */
type Lister = (call: ScimCall, query: Query) => Promise<Page<string>>;

function narrowed(type: ResourceType, { base }: ScimCall, query: Query): ListOptions {
  const { filter, startIndex, count: take, sortBy, descending } = query;
  // Filters of a client's own making get no plan of their own on every connection.
  const isUsual = filter && 'path' in filter && filter.op !== 'valuePath' && USUAL_COUNTS.has(take) && !sortBy;
  const where = filter ? [{ ...conditionOf(type, filter, base.manager), adHoc: !isUsual }] : [];
  const by = sortBy && { ...orderOf(type, attributePath(sortBy), base.manager), adHoc: true };
  return { skip: startIndex - 1, take, where, order: by ? { by, descending } : undefined };
}

const listUsers: Lister = async (call, query) => {
  const active = query.filter && !query.sortBy ? activeOnly(query.filter) : undefined;
  const [classes, own] = active === undefined ? [[0, 1], query] : [[active ? 0 : 1], { ...query, filter: undefined }];
  const { rows, total } = await listUserRows(call.tx, classes, narrowed(userType, call, own));
  return { total, rows: rows.map((row) => renderUser(call, row).text) };
};
const listGroups: Lister = async (call, query) => {
  const { rows, total } = await listGroupRows(call.tx, showsMembers(call), narrowed(groupType, call, query));
  return { total, rows: rows.map((row) => renderGroup(call, row).text) };
};
/** All types, one after the other; a filter that does not fit a type finds nothing of it. */
const listEverything: Lister = async (call, query) => {
  const fitting = (lister: Lister, startIndex: number, count: number) =>
    lister(call, { ...query, startIndex, count }).catch((error) => {
      if (error instanceof ScimError && error.status === 400) return undefined;
      throw error;
    });
  const { startIndex, count } = query;
  const users = await fitting(listUsers, startIndex, count);
  const { total = 0, rows = [] } = users ?? {};
  const groups = await fitting(listGroups, Math.max(1, startIndex - total), count - rows.length);
  if (!users && !groups) return refuse('invalidFilter', 'No resource type has these attributes.');
  return { total: total + (groups?.total ?? 0), rows: [...rows, ...(groups?.rows ?? [])] };
};

const listing =
  (lister: Lister): ScimHandler =>
  async (call) => {
    const query = readQuery(call);
    const { total, rows } = await lister(call, query);
    return { status: 200, body: listResponse(total, query.startIndex, rows) };
  };
/** A search request carries in its body what a list has in its query. */
const searching =
  (list: ScimHandler): ScimHandler =>
  (call) => {
    if (!isObject(call.body)) return refuse('invalidSyntax', 'The body must be a search request.');
    return list({ ...call, query: call.body });
  };

export const getUsers = listing(listUsers);
export const getGroups = listing(listGroups);
export const getEverything = listing(listEverything);
export const searchUsers = searching(getUsers);
export const searchGroups = searching(getGroups);
export const searchEverything = searching(getEverything);

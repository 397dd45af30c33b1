// RFC 7644 3.4.2 and 3.4.3: lists of one type or of all, by GET and by POST to /.search.
import type { Sql } from '../../kernel/data/sql.ts';
import { parameter, type ScimAnswer, type ScimCall, type ScimHandler } from './call.ts';
import { activeOnly, comparisonsIn, conditionOf, orderOf } from './conditions.ts';
import { isObject } from './document.ts';
import { bad, ScimError } from './errors.ts';
import { type Filter, parseFilter, pathOf } from './filter.ts';
import { listGroupRows, listUserRows } from './queries.ts';
import { listResponse, namesIn, renderGroup, renderUser } from './resources.ts';
import { groupType, type ResourceType, userType } from './schemas.ts';

export const COUNT_MAX = 500;
export const COUNT_DEFAULT = 100;
/** Sizes of pages whose statements keep their plans. */
const USUAL_COUNTS = new Set([0, 1, 2, 10, 20, 50, 100, 200, 500]);

interface Query {
  readonly filter: Filter | undefined;
  readonly startIndex: number;
  readonly count: number;
  readonly sortBy: string | undefined;
  readonly descending: boolean;
}

function readQuery({ query }: ScimCall): Query {
  const filter = parameter(query, 'filter');
  const sortBy = parameter(query, 'sortBy');
  if (filter !== undefined && typeof filter !== 'string') bad('invalidFilter', 'filter must be one text.');
  if (sortBy !== undefined && typeof sortBy !== 'string') bad('invalidValue', 'sortBy must be one text.');
  return {
    filter: typeof filter === 'string' && filter.trim() !== '' ? parseFilter(filter) : undefined,
    // RFC 7644 3.4.2.4: less than 1 is 1, a negative count is 0.
    startIndex: Math.max(1, integer(query, 'startIndex') ?? 1),
    count: Math.min(COUNT_MAX, Math.max(0, integer(query, 'count') ?? COUNT_DEFAULT)),
    sortBy: typeof sortBy === 'string' && sortBy !== '' ? sortBy : undefined,
    descending: String(parameter(query, 'sortOrder')).toLowerCase() === 'descending',
  };
}

function integer(query: ScimCall['query'], name: string): number | undefined {
  const given = parameter(query, name);
  if (given === undefined || given === '') return undefined;
  const number = Number(given);
  return Number.isSafeInteger(number) ? number : bad('invalidValue', `${name} must be an integer.`);
}

interface Page {
  readonly total: number;
  readonly texts: readonly string[];
}
type Lister = (call: ScimCall, query: Query, skip: number, count: number) => Promise<Page>;

/** Filters of a client's own making get no plan of their own on every connection. */
const asSent = (condition: Sql, query: Query, count: number): Sql =>
  query.filter && comparisonsIn(query.filter) <= 1 && USUAL_COUNTS.has(count) && query.sortBy === undefined
    ? condition
    : { ...condition, adHoc: true };

function narrowed(type: ResourceType, call: ScimCall, query: Query, count: number) {
  const form = call.base.manager;
  const where = query.filter ? [asSent(conditionOf(type, query.filter, form), query, count)] : [];
  const order =
    query.sortBy === undefined
      ? undefined
      : { by: { ...orderOf(type, pathOf(query.sortBy), form), adHoc: true }, descending: query.descending };
  return { where, order };
}

const listUsers: Lister = async (call, query, skip, take) => {
  const active = query.filter && query.sortBy === undefined ? activeOnly(query.filter) : undefined;
  const classes = active === undefined ? [0, 1] : active ? [0] : [1];
  const { where, order } =
    active === undefined ? narrowed(userType, call, query, take) : { where: [], order: undefined };
  const { rows, total } = await listUserRows(call.tx, { skip, take, classes, where, order });
  return { total, texts: rows.map((row) => renderUser(call, row).text) };
};

const listGroups: Lister = async (call, query, skip, take) => {
  const wanted = namesIn(parameter(call.query, 'attributes'));
  const withMembers =
    wanted.length > 0
      ? wanted.some((name) => name.includes('members'))
      : !namesIn(parameter(call.query, 'excludedAttributes')).some((name) => /(^|:)members$/.test(name));
  const { rows, total } = await listGroupRows(call.tx, {
    skip,
    take,
    withMembers,
    ...narrowed(groupType, call, query, take),
  });
  return { total, texts: rows.map((row) => renderGroup(call, row).text) };
};

const listing =
  (lister: Lister): ScimHandler =>
  async (call): Promise<ScimAnswer> => {
    const query = readQuery(call);
    const { total, texts } = await lister(call, query, query.startIndex - 1, query.count);
    return { status: 200, body: listResponse(total, query.startIndex, texts) };
  };
/** A search request carries in its body what a list has in its query. */
const searching =
  (list: ScimHandler): ScimHandler =>
  (call) =>
    isObject(call.body)
      ? list({ ...call, query: call.body })
      : bad('invalidSyntax', 'The body must be a search request.');

/** All types, one after the other; a filter that does not fit a type finds nothing of it. */
const listEverything: Lister = async (call, query, skip, count) => {
  const users = await fitting(listUsers, call, query, skip, count);
  const left = count - (users?.texts.length ?? 0);
  const groups = await fitting(listGroups, call, query, Math.max(0, skip - (users?.total ?? 0)), left);
  if (!users && !groups) return bad('invalidFilter', 'No resource type has these attributes.');
  return {
    total: (users?.total ?? 0) + (groups?.total ?? 0),
    texts: [...(users?.texts ?? []), ...(groups?.texts ?? [])],
  };
};
const fitting: (lister: Lister, ...rest: Parameters<Lister>) => Promise<Page | undefined> = async (lister, ...rest) => {
  try {
    return await lister(...rest);
  } catch (error) {
    if (error instanceof ScimError && error.status === 400) return undefined;
    throw error;
  }
};

export const getUsers = listing(listUsers);
export const getGroups = listing(listGroups);
export const getEverything = listing(listEverything);
export const searchUsers = searching(getUsers);
export const searchGroups = searching(getGroups);
export const searchEverything = searching(getEverything);

import type { Query } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { onDays } from '../../kernel/data/periods.ts';
import { given, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { type Actor, refuseUnlessReadable } from '../../kernel/people/auth.ts';
import { knows } from '../spaces/access.ts';
import { type SearchType, search, suggestedTypes } from './contract.ts';
import { primary } from './entries.ts';
import { families, readableBy, type SearchFamily, scopeOf } from './families.ts';
import { catchUp } from './following.ts';
import { keysFor } from './keys.ts';
import { lookupOf } from './matching.ts';
import { find } from './searching.ts';
import { presented, show } from './showing.ts';
import { suggest } from './suggesting.ts';

const SUGGESTED = 8;
const NONE = 0;
const BEHIND = 'The search index is still being brought up to date: some results may be missing.';

async function searchFor({ tx, actor, query, warnings, services }: Call<typeof search.endpoints.search>) {
  const asked = familiesFor(actor, query.types);
  const filter = await filterFor(tx, actor, asked, query);
  if (!(await catchUp(tx))) warnings.push(BEHIND);
  if (filter === undefined) return { rows: [], total: 0, meta: { is_total_exact: true, did_you_mean: null } };
  const byIndex = services.db.byIndex(tx.organisation_id);
  const { q = '', sort = 'relevance', skip, take, language } = query;
  const found = await find(byIndex, actor, { q, sort, families: asked, ...filter });
  const isByScore = sort === 'relevance' && q.trim() !== '';
  const { hits, total, did_you_mean } = await show(byIndex, actor, found, { skip, take, language, isByScore });
  const lookup = lookupOf(found.meanings);
  return {
    rows: hits.map((hit) => toJson(presented(hit, lookup))),
    total,
    meta: { is_total_exact: found.isExact, did_you_mean },
  };
}

export const searchRoutes = routes(search, {
  search: searchFor,
  advancedSearch: searchFor,
  async suggest({ tx, actor, query: { q, types = suggestedTypes, take = SUGGESTED }, services }) {
    const asked = readableBy(actor).filter(({ type }) => types.some((one) => one === type));
    await catchUp(tx);
    return toJson(await suggest(services.db.byIndex(tx.organisation_id), actor, q, asked, take));
  },
});

/** Those that are asked for, or all that the credential may read. */
function familiesFor(actor: Actor, types: readonly SearchType[] | undefined): readonly SearchFamily[] {
  if (types === undefined) return readableBy(actor);
  const asked = families.filter(({ type }) => types.includes(type));
  refuseUnlessReadable(actor, asked.map(scopeOf));
  return asked;
}

/** Undefined: nothing can meet it. */
async function filterFor(
  tx: Tx,
  actor: Actor,
  asked: readonly SearchFamily[],
  query: Query<typeof search.endpoints.search>,
) {
  const key = keysFor(tx.organisation_id);
  const { creator_email, creator_id, space_ids, language, updated_after } = query;
  if (asked.length === 0) return undefined;
  const creator = creator_email === undefined ? creator_id : ((await findPerson(tx, creator_email)) ?? NONE);
  if (creator_email !== undefined && creator_id !== undefined && creator !== creator_id) return undefined;
  const spaces = space_ids && (await listKnown(tx, actor, space_ids));
  if (spaces?.length === 0) return undefined;
  const types = asked.length < families.length ? [asked.map(({ type }) => key('type', type))] : [];
  const places = spaces ? [spaces.map((id) => key('space', id))] : [];
  const lists = [...types, ...places];
  const single = lists.flatMap((list) => (list.length === 1 ? list : []));
  return {
    sieve: {
      has: [
        ...single,
        ...given(creator, (id) => sql`${key('creator', id)}`).map(({ values: [value] }) => value as number),
        ...(language === undefined ? [] : [key('language', primary(language))]),
      ],
      hasAny: lists.filter((list) => list.length > 1),
      where: onDays(query, trusted('i.at'), trusted('i.at')),
    },
    where: given(updated_after, (moment): Sql => sql`t.updated_at > ${moment}::timestamptz`),
  };
}

const findPerson = (tx: Tx, email: string) =>
  tx.value<number>(sql`select id from users where organisation_id = $1 and lower(email) = lower(${email})`);
/** What reaches somebody through another space must not tell them that it is in this one too. */
const listKnown = (tx: Tx, actor: Actor, ids: readonly number[]) =>
  tx.values<number>(sql`
    select s.id from spaces s
    where s.organisation_id = $1 and s.id = any(${ids}::bigint[]) and ${knows(actor, trusted('s'))}`);

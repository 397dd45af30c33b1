// What `expand` and the filters of a list of people ask for, which modules above know how to answer.
import type { Sql } from '../../kernel/data/sql.ts';
import { extensionPoint } from '../../kernel/module.ts';
import type { Actor } from '../../kernel/people/auth.ts';

/** SQL of the column, for the person `u`. */
export const userExpansions = extensionPoint<{
  readonly name: 'teams' | 'spaces';
  readonly value: (actor: Actor) => Sql;
}>();
/** SQL: the person `t` belongs to one of these. */
export const userFilters = extensionPoint<{
  readonly name: 'in_teams' | 'in_spaces';
  readonly condition: (actor: Actor, ids: readonly number[]) => Sql;
}>();

export type Expansion = 'teams' | 'spaces' | 'manager';
export const expansionNames: readonly Expansion[] = ['teams', 'spaces', 'manager'];

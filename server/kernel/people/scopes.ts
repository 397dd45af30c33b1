// What a credential may ask for: `<family>.<part>.<read|write|admin>`, `*` in any place when granting. Modules declare
// their families, and what each role may ask for within them.
import type { Role } from '../contract/contract.ts';
import { extensionPoint } from '../module.ts';

export interface ScopeFamily {
  readonly name: string;
  /**
   * What people with a role may ask for, which rows being decided by the family's own access rules;
   * `read`, `write`, `*`.
   */
  readonly roles: Readonly<Partial<Record<Role, readonly ('read' | 'write' | '*')[]>>>;
  /** `<part>.<action>`: an admin approves credentials that reach this; see `needsApproval`. */
  readonly sensitive?: readonly string[];
  /** An app that acts as a person reaches this only where an admin says so. */
  readonly isClosedToJwts?: true;
}
type More = Pick<ScopeFamily, 'sensitive' | 'isClosedToJwts'>;
export const scopeFamilies = extensionPoint<ScopeFamily>();
/** One part of a family that a role may ask for besides. */
export const roleScopes = extensionPoint<{ readonly role: Role; readonly scope: string }>();

/** Everybody reads and writes; developers have all of it. */
export const everybodysFamily = (name: string, more: More = {}) =>
  scopeFamilies({ name, roles: { user: ['read', 'write'], developer: ['*'] }, ...more });
/** Everybody reads, moderators write; developers have all of it. */
export const moderatedFamily = (name: string) =>
  scopeFamilies({ name, roles: { user: ['read'], moderator: ['write'], developer: ['*'] } });

let grammar: RegExp | undefined;
export function isScope(scope: string): boolean {
  const names = scopeFamilies.all.map(({ name }) => name).join('|');
  grammar ??= new RegExp(`^(\\*|(\\*|${names})\\.(\\*|[a-z_]+)\\.(\\*|read|write|admin))$`);
  return grammar.test(scope);
}

const matches = (given: string | undefined, wanted: string | undefined) => given === '*' || given === wanted;

/** Does one of the granted scopes cover the required one? A required family or part of `*` is satisfied by any. */
export function holds(granted: readonly string[], required: string): boolean {
  for (const scope of granted) {
    if (scope === '*' || scope === required) return true;
    const [family, part, action] = scope.split('.');
    const [wantedFamily, wantedPart, wantedAction] = required.split('.');
    if (
      (matches(family, wantedFamily) || wantedFamily === '*') &&
      matches(action, wantedAction) &&
      (matches(part, wantedPart) || wantedPart === '*')
    )
      return true;
  }
  return false;
}

const partsOf = (scope: string) => (scope === '*' ? ['*', '*', '*'] : scope.split('.'));

/** Nobody hands out more than they hold: a wildcard is only covered by a wildcard. */
export function covers(granted: readonly string[], scope: string): boolean {
  const wanted = partsOf(scope);
  return granted.some((held) => held === '*' || held.split('.').every((part, i) => part === '*' || part === wanted[i]));
}

/** What both scopes allow; undefined: nothing. */
function meet(one: string, other: string): string | undefined {
  const others = partsOf(other);
  const parts = partsOf(one).map((part, i) =>
    part === '*' || part === others[i] ? others[i] : others[i] === '*' && part,
  );
  return parts.every((part) => part) ? parts.join('.') : undefined;
}
/** What both lists of scopes allow. */
export const common = (some: readonly string[], others: readonly string[]): string[] => [
  ...new Set(some.flatMap((one) => others.flatMap((other) => meet(one, other) ?? []))),
];

/** A developer does not grant this scope alone, because it reaches what a module calls sensitive. */
export const needsApproval = (scope: string): boolean =>
  scopeFamilies.all.some(({ name, sensitive = [] }) => sensitive.some((part) => meet(scope, `${name}.${part}`)));

const ofRole = new Map<Role, readonly string[]>();
function scopesOfRole(role: Role): readonly string[] {
  const known = ofRole.get(role);
  if (known) return known;
  const families = scopeFamilies.all.flatMap(({ name, roles }) =>
    (roles[role] ?? []).map((what) => `${name}.*.${what}`),
  );
  const parts = roleScopes.all.filter((one) => one.role === role).map(({ scope }) => scope);
  const scopes = role === 'admin' ? ['*'] : [...families, ...parts];
  ofRole.set(role, scopes);
  return scopes;
}
/** Who acts in somebody's place does what they do every day, and administers nothing, whatever roles they have. */
export const lentRoles: readonly Role[] = ['user', 'moderator'];
/** What apps that act as a person may do when nobody says more. */
export const openToJwts = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => !scopeFamilies.all.some((one) => one.isClosedToJwts && scope.startsWith(`${one.name}.`)));
/** What a signed-in person may ask for. */
export const scopesOf = (roles: readonly Role[]): string[] => [...new Set(roles.flatMap(scopesOfRole))];

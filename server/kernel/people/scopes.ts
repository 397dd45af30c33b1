import type { Role } from '../contract/contract.ts';

/** Families that scopes are granted for; `<family>.<part>.<read|write|admin>`, `*` in any place when granting. */
export const scopeFamilies = [
  ...[
    'users',
    'teams',
    'spaces',
    'pages',
    'articles',
    'updates',
    'kudos',
    'events',
    'comments',
    'likes',
    'acknowledgements',
  ],
  ...[
    'campaigns',
    'goals',
    'badges',
    'documents',
    'assets',
    'livestreams',
    'billboards',
    'chats',
    'webhooks',
    'search',
    'siem',
    'admin',
  ],
] as const;

const grammar = new RegExp(`^(\\*|(${['\\*', ...scopeFamilies].join('|')})\\.(\\*|[a-z_]+)\\.(\\*|read|write|admin))$`);
export const isScope = (scope: string) => grammar.test(scope);

const matches = (given: string | undefined, wanted: string | undefined) => given === '*' || given === wanted;

/** Does one of the granted scopes cover the required one? A required part of `*` is satisfied by any part. */
export function holds(granted: readonly string[], required: string): boolean {
  for (const scope of granted) {
    if (scope === '*' || scope === required) return true;
    const [family, part, action] = scope.split('.');
    const [wantedFamily, wantedPart, wantedAction] = required.split('.');
    if (
      matches(family, wantedFamily) &&
      matches(action, wantedAction) &&
      (matches(part, wantedPart) || wantedPart === '*')
    )
      return true;
  }
  return false;
}

/** Nobody hands out more than they hold: a wildcard is only covered by a wildcard. */
export function covers(granted: readonly string[], scope: string): boolean {
  const wanted = scope === '*' ? ['*', '*', '*'] : scope.split('.');
  return granted.some((held) => held === '*' || held.split('.').every((part, i) => part === '*' || part === wanted[i]));
}

const readable = scopeFamilies
  .filter((family) => !['webhooks', 'siem', 'admin'].includes(family))
  .map((family) => `${family}.*.read`);
/** Families whose own access rules say which rows a person may write. */
const writable = [
  'spaces',
  'pages',
  'articles',
  'updates',
  'kudos',
  'events',
  'comments',
  'likes',
  'acknowledgements',
  'documents',
  'assets',
  'chats',
];
const everythingButAdministration = scopeFamilies
  .filter((family) => family !== 'siem' && family !== 'admin')
  .map((family) => `${family}.*.*`);

/** What a signed-in person may ask for; which rows is decided by each family's access rules. */
const rolesImply: Record<Role, readonly string[]> = {
  user: [...readable, ...writable.map((family) => `${family}.*.write`)],
  moderator: ['campaigns', 'goals', 'badges', 'livestreams', 'billboards'].map((family) => `${family}.*.write`),
  developer: [...everythingButAdministration, 'admin.apps.*', 'admin.webhooks.*'],
  it_admin: ['users.*.*', 'teams.*.*', 'admin.provisioning.*'],
  admin: ['*'],
};

export const scopesOf = (roles: readonly Role[]): string[] => [...new Set(roles.flatMap((role) => rolesImply[role]))];

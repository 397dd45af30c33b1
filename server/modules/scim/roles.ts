// Which roles a provider grants. The role admin only where an admin has said so of the provider: else whoever may make
// a SCIM secret could make themselves an admin with it.
import type { ScimCredential } from './access.ts';
import { type Document, entriesIn } from './document.ts';
import { ScimError } from './errors.ts';
import { grantedBy, isRole, rolesIn } from './user-document.ts';

export const grantsAdmin = ({ settings, secret }: ScimCredential) =>
  settings.providers_granting_admin.includes(secret.provider);

/** What the person holds after the request; `held` is what they hold before. */
export function rolesAfter(call: ScimCredential, held: readonly string[], document: Document): string[] {
  if (!call.settings.assigns_roles) return held.toSorted();
  const named = entriesIn(document.roles).flatMap(({ value }) => rolesIn(value));
  const wanted = [...new Set(['user', ...named, ...grantedBy(document)])].sort();
  return wanted.filter((role) => role !== 'admin' || held.includes(role) || grantsAdmin(call));
}

/** Without entries that would say of a role that it is held. */
export function withRoles(document: Document, roles: readonly string[]): Document {
  const isTrue = ({ value }: Document) => {
    const role = String(value).toLowerCase();
    return !isRole(role) || roles.includes(role);
  };
  return document.roles === undefined ? document : { ...document, roles: entriesIn(document.roles).filter(isTrue) };
}

/** Who sets an admin's password can sign in as that admin. */
export function refuseUnlessMaySetPassword(call: ScimCredential, held: readonly string[]) {
  if (!held.includes('admin') || grantsAdmin(call)) return;
  const detail = 'The password of an admin is set by SCIM only where providers_granting_admin names the provider.';
  throw new ScimError(403, undefined, detail);
}

// Credentials that reach what a module calls sensitive (kernel/people/scopes.ts) are asked for by a developer and
// approved by an admin: `pending` until then. Whoever could do what the credential can needs nobody's approval.
import { refuse } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { extensionPoint } from '../../kernel/module.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { covers, needsApproval } from '../../kernel/people/scopes.ts';

/** Told to one person, or to every admin. */
export interface Notice {
  to: number | 'admins';
  title: string;
  body: string;
  tag: string;
}
/** How people are told; a module above knows. */
export const tellsPeople = extensionPoint<(tx: Tx, notice: Notice) => Promise<unknown>>();
export async function tell(tx: Tx, notice: Notice) {
  for (const how of tellsPeople.all) await how(tx, notice);
}

/** A person without the role admin asks for what an admin approves; others give what they hold. */
export const mustAsk = ({ kind, roles }: Actor): boolean => kind !== 'key' && !roles.includes('admin');

export function refuseUnlessHeld({ scopes: held }: Actor, scopes: readonly string[]) {
  const beyond = scopes.filter((scope) => !covers(held, scope));
  if (beyond.length > 0)
    refuse('forbidden', `You cannot grant what you do not hold: ${beyond.join(', ')}.`, {
      path: 'scopes',
      meta: { required_scopes: beyond },
    });
}

/** Of a credential with these scopes that the actor makes; refused when it would reach beyond the actor otherwise. */
export function statusOf(actor: Actor, scopes: readonly string[]): 'active' | 'pending' {
  const asked = mustAsk(actor) ? scopes.filter(needsApproval) : [];
  refuseUnlessHeld(
    actor,
    scopes.filter((scope) => !asked.includes(scope)),
  );
  return asked.length > 0 ? 'pending' : 'active';
}

export const refuseUnlessPending = (status: string) =>
  status === 'pending' || refuse('not_pending', `There is nothing to decide: it is ${status}.`);

import { refuse } from '../../kernel/contract/errors.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { type Stream, streams } from './streams.ts';

export const mayRead = (actor: Actor, family: string) => holds(actor.scopes, `${family}.*.read`);

/** Those that are asked for, or all that the credential may read. */
export function streamsFor(actor: Actor, types: readonly string[] | undefined): readonly Stream[] {
  const asked = streams().filter(({ type }) => !types || types.includes(type));
  const readable = asked.filter(({ family }) => mayRead(actor, family));
  const missing = types ? asked.filter((stream) => !readable.includes(stream)) : [];
  const required_scopes =
    readable.length === 0 && !types ? ['*.*.read'] : missing.map(({ family }) => `${family}.*.read`);
  if (required_scopes.length > 0)
    refuse('forbidden', `The credential does not hold the scope ${required_scopes[0]}.`, { meta: { required_scopes } });
  return readable;
}

import { type Actor, readable } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { type Stream, streams } from './streams.ts';

export const mayRead = (actor: Actor, family: string) => holds(actor.scopes, `${family}.*.read`);

export const streamsFor = (actor: Actor, types: readonly string[] | undefined): readonly Stream[] =>
  readable(actor, streams(), types, ({ family }) => `${family}.*.read`);

// Who is signed in, and what they may do.
import { signal } from '@preact/signals';
import { call, Refusal, useSession } from './call.ts';
import type { Contract, ReplyOf } from './contracts.ts';
import { forgetDrafts } from './kept-drafts.ts';
import { forgetLists } from './lists.ts';
import { forgetAll } from './rows.ts';

export type Session = ReplyOf<Contract['GET /v1/session']>;
/** undefined: it is not known yet. null: nobody. */
export const session = signal<Session | null | undefined>(undefined);
/** Somebody was signed in, and is no more without having asked for it. */
export const hasEnded = signal(false);
export const me = () => (session.value as Session).user;

/** Does the server let this person call what needs the scope? */
export const may = (scope: string) => {
  const [family, part, action] = scope.split('.');
  const fits = (held: string | undefined, wanted: string | undefined) => held === '*' || held === wanted;
  return (session.value?.can ?? []).some((held) => {
    const [f, p, a] = held === '*' ? ['*', '*', '*'] : held.split('.');
    return fits(f, family) && fits(p, part) && fits(a, action);
  });
};

export async function start() {
  try {
    const { data } = await call('GET /v1/session');
    useSession(data.csrf_token, end);
    session.value = data;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) end();
    else throw error;
  }
}
export async function signIn(email: string, password: string) {
  await call('POST /v1/sessions', { body: { email, password } });
  await start();
}
/** Who lost the password has a passcode instead, and sets a new one. */
export async function signInByPasscode(email: string, one_time_passcode: string, new_password: string) {
  await call('POST /v1/sessions', { body: { email, one_time_passcode, new_password } });
  await start();
}
export async function signOut() {
  await call('DELETE /v1/sessions/current');
  forgetDrafts();
  end();
  hasEnded.value = false;
}
/** Nothing of the person stays. */
function end() {
  hasEnded.value = Boolean(session.peek());
  forgetAll();
  forgetLists();
  session.value = null;
}

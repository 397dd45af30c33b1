// What somebody proves who they are with: a password, or a one-time passcode, which sets a new password.
import { refuse, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { hashPassword, isSame, verifyPassword } from '../../kernel/people/secrets.ts';
import { weaknessOf } from '../users/password-rules.ts';
import { findSignIn, updatePassword } from '../users/passwords.ts';
import { findPasscode, hmacOf, usePasscode } from './passcodes.ts';
import { endSessions, insertSession, type NewSession } from './queries.ts';

export interface SignIn {
  email: string;
  password?: string;
  one_time_passcode?: string;
  new_password?: string;
}
type Session = Omit<NewSession, 'user_id'>;

const refuseSignIn = (secret = 'password') => refuse('sign_in_failed', `The e-mail address or the ${secret} is wrong.`);

/** What can be said without a look at the account. */
export async function refuseUnlessProof({ email, password, one_time_passcode, new_password }: SignIn) {
  if ((password === undefined) === (one_time_passcode === undefined))
    refuseInvalid('password', 'or one_time_passcode must be given, not both');
  if (one_time_passcode === undefined) return;
  if (new_password === undefined)
    return refuseInvalid('new_password', 'must be given: signing in with a passcode sets a new password');
  const weakness = await weaknessOf(new_password, email);
  if (weakness) refuseInvalid('new_password', weakness);
}

export async function signInWithPassword(tx: Tx, { email, password = '' }: SignIn, session: Session) {
  const person = await findSignIn(tx, email);
  if (!(await verifyPassword(password, person?.password_hash)) || !person) return refuseSignIn();
  return (await insertSession(tx, { ...session, user_id: person.id })) ?? refuseSignIn();
}

export async function signInWithPasscode(tx: Tx, signIn: SignIn, session: Session, { sealing }: Services) {
  const { email, one_time_passcode = '', new_password = '' } = signIn;
  const given = hmacOf(sealing, tx, one_time_passcode);
  const passcode = await findPasscode(tx, email);
  const refuseWrong = () => refuseSignIn('one-time passcode');
  if (!isSame(given, passcode?.code_hmac ?? '') || !passcode) return refuseWrong();
  const hash = await hashPassword(new_password);
  const { id, user_id } = passcode;
  return tx.transaction(async (inside) => {
    if (!(await usePasscode(inside, id))) return refuseWrong();
    await updatePassword(inside, user_id, hash);
    await endSessions(inside, [user_id]);
    return (await insertSession(inside, { ...session, user_id })) ?? refuseWrong();
  });
}

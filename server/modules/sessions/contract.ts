import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { User } from '../users/contract.ts';

export const Session = t.Object(
  {
    id: t.Id(),
    user_id: t.Id(),
    is_current: t.Flag('The session that asks.'),
    ip_address: t.Text(64),
    user_agent: t.Text(512),
    created_at: t.Timestamp(),
    last_seen_at: t.Timestamp(),
  },
  { title: 'Session' },
);
export const SignedIn = t.Object(
  { session_id: t.Id(), csrf_token: t.Text(64, 'Send as X-CSRF-Token with every request that writes.'), user: User },
  { title: 'SignedIn' },
);
const gone = t.Object({ id: t.Id() });
/** Only who is signed in has sessions. */
const own = { scope: null, actors: 'session' } as const;

export const sessions = family('sessions', 'Signing in and out. The session is an HttpOnly cookie.', {
  signIn: endpoint('POST /v1/sessions', 'Sign in', {
    description:
      'Sets the session cookie. The organisation is the one that Service-Id or the host names. Ten wrong passwords ' +
      'end the tries for this account from your network until 15 minutes after the first; a device that has signed ' +
      'in to the account before has ten of its own. Takes JSON only, and no page of another site. Who lost ' +
      'the password sends the `one_time_passcode` that an app has issued, and the `new_password` with it: the ' +
      'passcode is used up, the password is set, and every other session ends.',
    scope: null,
    setsCookie: true,
    status: 201,
    body: t.Object({
      email: t.Email(),
      password: t.Optional(t.String({ minLength: 1, maxLength: 1024, description: 'Or one_time_passcode.' })),
      one_time_passcode: t.Optional(t.RequiredText(20, 'Instead of the password. Small letters do as well.')),
      new_password: t.Optional(t.String({ maxLength: 1024, description: 'With one_time_passcode, and needed there.' })),
    }),
    reply: SignedIn,
    errors: { sign_in_failed: 401 },
    example: { body: { email: 'ada.okafor@northwind.example', password: 'correct horse battery staple' } },
  }),
  getCurrentSession: endpoint('GET /v1/sessions/current', 'Who am I', { ...own, reply: SignedIn, example: {} }),
  listSessions: endpoint('GET /v1/sessions', 'List my sessions', {
    ...own,
    description: 'Most recent first.',
    list: Session,
    example: {},
  }),
  signOut: endpoint('DELETE /v1/sessions/current', 'Sign out', {
    ...own,
    setsCookie: true,
    reply: gone,
    example: {},
  }),
  endSession: endpoint('DELETE /v1/sessions/{id}', 'End one of my sessions', {
    ...own,
    reply: gone,
    example: { params: { id: 1 } },
  }),
  issuePasscode: endpoint('POST /v1/unwired/users/otp', 'Issue a one-time passcode', {
    description:
      'For a person who lost their password: `POST /v1/sessions` takes it once, within ten minutes, with a new ' +
      'password. A JWT of the app itself asks for it (`sub`: `app`, `app_id`: its id), and `users.passcodes.write` ' +
      'is named in the scopes of its JWT settings. For people of whom provisioning says allowOtpPasswordReset, and ' +
      'no other authMode than password, and who are neither admin, it_admin nor developer. Two in ten minutes and ' +
      'ten a day for each person; a new one ends the former.',
    scope: 'users.passcodes.write',
    actors: 'app',
    status: 201,
    body: t.Object({ email: t.Email() }),
    reply: t.Object(
      {
        one_time_passcode: t.Text(6, 'Six capital letters and digits, shown this once.'),
        expires_at: t.Integer({ description: 'Unix time, in seconds.' }),
        email: t.Text(254),
        service_user_id: t.Id('The person.'),
        organisation_id: t.Id(),
        login_url: t.Url(),
      },
      { title: 'OneTimePasscode' },
    ),
    beside: t.Object({ message: t.Text(200) }),
    errors: { passcode_not_allowed: 403 },
    example: { body: { email: 'emi.tanaka@northwind.example' } },
  }),
  changePassword: endpoint('PUT /v1/sessions/current/password', 'Change my password', {
    ...own,
    description:
      'Ends every other session of mine. The new password has 12 characters or more, is not the e-mail address, and ' +
      'is none of those that are used most. Ten wrong current passwords in 15 minutes are the most.',
    body: t.Object({
      current_password: t.RequiredText(1024),
      new_password: t.String({ minLength: 12, maxLength: 1024 }),
    }),
    reply: gone,
    errors: { sign_in_failed: 401 },
    example: { body: { current_password: 'correct horse battery staple', new_password: 'an even longer password' } },
  }),
});

import {
  Email,
  endpoint,
  Flag,
  family,
  Id,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Type,
} from '../../kernel/contract/contract.ts';
import { User } from '../users/contract.ts';

export const Session = Shape(
  {
    id: Id(),
    user_id: Id(),
    is_current: Flag('The session that asks.'),
    ip_address: Text(64),
    user_agent: Text(512),
    created_at: Timestamp(),
    last_seen_at: Timestamp(),
  },
  { title: 'Session' },
);
export const SignedIn = Shape(
  { session_id: Id(), csrf_token: Text(64, 'Send as X-CSRF-Token with every request that writes.'), user: User },
  { title: 'SignedIn' },
);
const gone = Shape({ id: Id() });

export const sessions = family('sessions', 'Signing in and out. The session is an HttpOnly cookie.', {
  signIn: endpoint({
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Sign in',
    description:
      'Sets the session cookie. The organisation is the one that Service-Id or the host names. Ten wrong passwords in 15 minutes lock the sign-in for 15 minutes.',
    scope: null,
    status: 201,
    body: Shape({ email: Email(), password: Type.String({ minLength: 1, maxLength: 1024 }) }),
    documented: 'json',
    reply: SignedIn,
    errors: { sign_in_failed: 401 },
    example: { body: { email: 'ada.okafor@northwind.example', password: 'correct horse battery staple' } },
  }),
  getCurrentSession: endpoint({
    method: 'GET',
    path: '/v1/sessions/current',
    summary: 'Who am I',
    scope: null,
    actors: 'session',
    reply: SignedIn,
    example: {},
  }),
  listSessions: endpoint({
    method: 'GET',
    path: '/v1/sessions',
    summary: 'List my sessions',
    description: 'Most recent first.',
    scope: null,
    actors: 'session',
    list: Session,
    example: {},
  }),
  signOut: endpoint({
    method: 'DELETE',
    path: '/v1/sessions/current',
    summary: 'Sign out',
    scope: null,
    actors: 'session',
    reply: gone,
    example: {},
  }),
  endSession: endpoint({
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    summary: 'End one of my sessions',
    scope: null,
    actors: 'session',
    reply: gone,
    example: { params: { id: 1 } },
  }),
  changePassword: endpoint({
    method: 'PUT',
    path: '/v1/sessions/current/password',
    summary: 'Change my password',
    description: 'Ends every other session of mine.',
    scope: null,
    actors: 'session',
    body: Shape({
      current_password: RequiredText(1024),
      new_password: Type.String({ minLength: 12, maxLength: 1024 }),
    }),
    documented: 'json',
    reply: gone,
    errors: { sign_in_failed: 401 },
    example: { body: { current_password: 'correct horse battery staple', new_password: 'an even longer password' } },
  }),
});

import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { SignedIn } from '../sessions/contract.ts';

const Start = t.Object(
  {
    ...SignedIn.properties,
    organisation: t.Object({ id: t.Id(), name: t.Text(255), locale: t.Text(35), timezone: t.Text(64) }),
    can: t.Array(t.Text(100), { description: 'Scopes that the roles of this person imply.' }),
    unread_notifications: t.Integer({ description: 'At most 100.' }),
  },
  { title: 'Start' },
);

export const start = family('session', 'What an app of a signed-in person needs to begin.', {
  getSession: endpoint('GET /v1/session', 'Who am I, where, and what may I do', {
    scope: null,
    actors: 'session',
    reply: Start,
    example: {},
  }),
});

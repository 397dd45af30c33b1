import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { contentNouns } from '../content/contract.ts';
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

/** What a place may let somebody write, and `edit` of what is there already. */
export const rights = ['edit', 'write_articles', 'write_pages', 'write_documents'] as const;
const can = t.Array(t.OneOf(rights));
const Rights = t.Object(
  {
    can,
    spaces: t.Array(t.Object({ id: t.Id(), name: t.Text(255), can }), {
      description: 'Of organisation: the spaces in which this person may write more than posts, at most 500.',
    }),
  },
  { title: 'Rights' },
);

export const start = family('session', 'What an app of a signed-in person needs to begin.', {
  getSession: endpoint('GET /v1/session', 'Who am I, where, and what may I do', {
    scope: null,
    actors: 'session',
    reply: Start,
    example: {},
  }),
  getRights: endpoint('GET /v1/session/rights', 'What may I change here', {
    description: 'Of one thing, of a space, or of what is for everybody (organisation).',
    scope: null,
    actors: 'session',
    query: t.Object({
      type: t.OneOf([...contentNouns, 'space', 'organisation']),
      id: t.Optional(t.Id('Of the thing or the space.')),
    }),
    reply: Rights,
    example: { query: { type: 'page', id: 1 } },
  }),
});

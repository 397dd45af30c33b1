import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

/** What a person can grant. */
export const grantable = ['read', 'write'] as const;
export type Grantable = (typeof grantable)[number];

const Program = t.Object(
  { name: t.Text(255), website: t.Nullable(t.Url()), created_at: t.Timestamp() },
  { title: 'Program' },
);
const Grant = t.Object(
  {
    id: t.Id(),
    program: Program,
    scopes: t.Array(t.OneOf(grantable)),
    created_at: t.Timestamp(),
    last_used_at: t.Timestamp(),
  },
  { title: 'Grant' },
);
const asked = {
  client_id: t.RequiredText(255),
  redirect_uri: t.RequiredText(2048),
  scope: t.Optional(t.Text(1000, 'read, or read write; default read.')),
  resource: t.Optional(t.Text(2048, 'Address of /mcp.')),
};
const errors = { unknown_client: 400 };
const own = { scope: null, actors: 'session' } as const;

export const oauth = family('oauth', 'Programs that people let act for them: OAuth 2.1 for /mcp.', {
  getAuthorization: endpoint('GET /v1/oauth/authorization', 'What a program asks for', {
    ...own,
    description: 'For the page that asks the person.',
    query: t.Object(asked),
    reply: t.Object({
      program: Program,
      scopes: t.Array(t.OneOf(grantable)),
      redirect_host: t.Text(255, 'Where the person is sent back to.'),
    }),
    errors,
    example: { query: { client_id: 'demo-assistant', redirect_uri: 'https://assistant.example/callback' } },
  }),
  authorize: endpoint('POST /v1/oauth/authorization', 'Let a program act for me', {
    ...own,
    status: 201,
    description: 'Answers where to send the person’s browser, with the code that the program exchanges (RFC 6749 4.1).',
    body: t.Object({
      ...asked,
      code_challenge: t.String({ minLength: 43, maxLength: 128, description: 'PKCE, RFC 7636.' }),
      code_challenge_method: t.OneOf(['S256']),
      state: t.Optional(t.Text(1000)),
    }),
    reply: t.Object({ redirect_to: t.Text(4096) }),
    errors,
    example: {
      body: {
        client_id: 'demo-assistant',
        redirect_uri: 'https://assistant.example/callback',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      },
    },
  }),
  listGrants: endpoint('GET /v1/oauth/grants', 'List what I have granted', {
    ...own,
    description: 'Most recently granted first.',
    list: Grant,
    example: {},
  }),
  revokeGrant: endpoint('DELETE /v1/oauth/grants/{id}', 'End a grant of mine', {
    ...own,
    description: 'Its tokens end at once.',
    reply: t.Object({ id: t.Id() }),
    example: { params: { id: 1 } },
  }),
});

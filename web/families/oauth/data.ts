import { call } from '../../kernel/call.ts';

/** What the program that has sent the person here asks for (RFC 6749 4.1.1), as its address says. */
export type Asked = Readonly<Record<string, string>>;
export const askedIn = (search: string): Asked => Object.fromEntries(new URLSearchParams(search));

export const readAuthorization = ({ client_id = '', redirect_uri = '', scope, resource }: Asked) =>
  call('GET /v1/oauth/authorization', {
    query: { client_id, redirect_uri, ...(scope ? { scope } : {}), ...(resource ? { resource } : {}) },
  }).then(({ data }) => data);

/** Where the program awaits the person, with the code that it exchanges. */
export const authorize = (asked: Asked, scope: string) =>
  call('POST /v1/oauth/authorization', {
    body: {
      client_id: asked.client_id ?? '',
      redirect_uri: asked.redirect_uri ?? '',
      code_challenge: asked.code_challenge ?? '',
      code_challenge_method: 'S256',
      scope,
      ...(asked.resource ? { resource: asked.resource } : {}),
      ...(asked.state ? { state: asked.state } : {}),
    },
  }).then(({ data }) => data.redirect_to);

/** RFC 6749 4.1.2.1. The server has found the address to be the program's before. */
export function declined({ redirect_uri = '', state }: Asked): string {
  const to = new URL(redirect_uri);
  to.searchParams.set('error', 'access_denied');
  if (state) to.searchParams.set('state', state);
  return to.href;
}

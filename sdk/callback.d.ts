export interface VerifyOptions {
  /** Address of the organisation, for example `https://acme.example`. Keys are only taken from there. */
  baseUrl: string;
  /** The bot that is called, or several that share an address. */
  botUserId: string | readonly string[];
  /** Another address of the keys, for example inside your own network. */
  jwksUrl?: string;
  /** Difference between the clocks that is put up with; default 5. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  now?: () => number;
  fetch?: typeof fetch;
}

export interface CallbackClaims {
  iss: string;
  aud: string;
  /** Id of the employee. */
  sub: string;
  publicKeyUrl: string;
  iat: number;
  nbf: number;
  exp: number;
  jti: string;
  body_sha256: string;
}

export class CallbackRefused extends Error {
  readonly reason:
    | 'missing'
    | 'malformed'
    | 'algorithm'
    | 'extension'
    | 'key_address'
    | 'unknown_key'
    | 'signature'
    | 'expired'
    | 'not_yet_valid'
    | 'issuer'
    | 'audience'
    | 'body';
}

/** The claims of a callback that is genuine. Rejects with CallbackRefused, or with the failure to fetch the keys. */
export function verifyCallback(
  jwt: string | undefined,
  body: string | Uint8Array,
  options: VerifyOptions,
): Promise<CallbackClaims>;

// What may be saved: events that exist, addresses that the guard lets through, headers that neither break nor smuggle.
import type { Static } from 'typebox';
import { type FieldError, Refusal, refuse, refuseFields } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { MASK, type NewWebhook } from './contract.ts';
import type { Secrets } from './queries.ts';
import { openSecret, sealSecret } from './secrets.ts';

type Body = Static<typeof NewWebhook>;
type Texts = Readonly<Record<string, string>>;

/** Headers of the delivery itself and of the connection (RFC 9110 7.6.1): a second value would contradict the first. */
const reserved = new Set(
  `host content-length transfer-encoding content-type content-encoding connection keep-alive proxy-connection upgrade te
  trailer expect proxy-authorization proxy-authenticate user-agent webhook-id webhook-timestamp
  webhook-signature`.split(/\s+/),
);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII with single spaces and tabs between (RFC 9110 5.5); none of it ends a line. */
const VALUE = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;

export type WebhookRow = ReturnType<typeof storable>;
/** The row to store. `known`: what is stored already, which masked and omitted secrets keep. */
export function storable(tx: Tx, services: Services, actions: ReadonlySet<string>, body: Body, known?: Secrets) {
  const { custom_headers = {}, authentication: client = { type: 'none' } } = body;
  const { form_params = {}, client_secret } = client;
  const oauth = client.type === 'oauth2';
  const errors = [
    ...eventErrors(body.events, actions),
    ...headerErrors(custom_headers, oauth),
    ...(oauth ? clientErrors(client, known) : []),
  ];
  if (errors.length > 0) refuseFields(errors);
  const seal = (text: string) => sealSecret(services.sealing, tx.organisation_id, text);
  const unmasked = (field: string, given: Texts, sealed: string | null | undefined): Texts =>
    Object.values(given).includes(MASK) ? withKept(field, given, sealed ? opened(tx, services, sealed) : {}) : given;
  const headers = unmasked('custom_headers', custom_headers, known?.custom_headers_sealed);
  const form = unmasked('authentication.form_params', form_params, known?.form_params_sealed);
  const isKept = client_secret == null || client_secret === MASK;
  const secret_sealed = isKept ? (known?.client_secret_sealed ?? null) : seal(client_secret);
  return {
    name: body.name,
    url: body.url,
    authentication_type: client.type,
    login_url: oauth ? (client.login_url ?? null) : null,
    client_id: oauth ? (client.client_id ?? null) : null,
    client_secret_sealed: oauth ? secret_sealed : null,
    form_params_sealed: oauth ? seal(JSON.stringify(form)) : null,
    form_param_names: oauth ? Object.keys(form) : [],
    custom_headers_sealed: seal(JSON.stringify(headers)),
    custom_header_names: Object.keys(headers),
    events: [...new Set(body.events)],
    content_scope: body.content_scope ?? 'public',
    active: body.active ?? true,
  };
}

function opened(tx: Tx, { sealing }: Services, sealed: string): Texts {
  try {
    return JSON.parse(openSecret(sealing, tx.organisation_id, sealed));
  } catch (cause) {
    const message = 'Stored secrets were sealed with another key. Send every value anew.';
    throw new Refusal('secret_unreadable', message, { cause });
  }
}
function withKept(field: string, given: Texts, stored: Texts): Texts {
  const keptOr = (name: string, value: string) => {
    if (value !== MASK) return value;
    const path = `${field}.${name}`;
    return (
      stored[name] ?? refuse('invalid_request', `"${path}" has no stored value that ${MASK} could keep.`, { path })
    );
  };
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, keptOr(name, value)]));
}

const eventErrors = (events: readonly string[], actions: ReadonlySet<string>): FieldError[] =>
  events.flatMap((action, n) => {
    const message = `is no event that can be subscribed to: ${action.slice(0, 100)}`;
    return actions.has(action) ? [] : [{ path: `events[${n}]`, message }];
  });

function headerErrors(headers: Texts, oauth: boolean): FieldError[] {
  const seen = new Set<string>();
  const problemOf = (name: string, value: string) => {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) return 'is not a valid header name';
    if (reserved.has(lower)) return 'is set by the delivery itself';
    if (oauth && lower === 'authorization') return 'is set by OAuth 2.0';
    if (seen.has(lower)) return 'is there twice';
    seen.add(lower);
    return VALUE.test(value) ? undefined : 'must be visible ASCII on one line, without spaces at its ends';
  };
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = problemOf(name, value);
    return message ? [{ path: `custom_headers.${name.slice(0, 100)}`, message }] : [];
  });
}

function clientErrors(client: NonNullable<Body['authentication']>, known?: Secrets): FieldError[] {
  const { login_url, client_id } = client;
  const client_secret = client.client_secret || known?.client_secret_sealed;
  const missing = Object.entries({ login_url, client_id, client_secret }).filter(([, value]) => !value);
  return missing.map(([name]) => ({ path: `authentication.${name}`, message: 'is required for oauth2' }));
}

/**
 * By the same guard that decides when they are called. It asks name servers, which may take seconds: in no
 * transaction.
 */
export async function checkAddresses({ egress }: Services, { url, authentication }: Body) {
  const addresses = {
    url,
    ...(authentication?.type === 'oauth2' && { 'authentication.login_url': authentication.login_url }),
  };
  for (const [path, address] of Object.entries(addresses))
    await egress.check(address ?? '').catch((cause) => {
      throw cause instanceof EgressFailure ? new Refusal('address_refused', cause.message, { path, cause }) : cause;
    });
}

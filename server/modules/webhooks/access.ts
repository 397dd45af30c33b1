// What may be saved: events that exist, addresses that the guard lets through, headers that neither break nor smuggle.
import type { Static } from 'typebox';
import { type FieldError, Refusal, refuse, refuseFields } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { MASK, type NewWebhook } from './contract.ts';
import type { WebhookRow, WebhookSecrets } from './queries.ts';
import { openSecret, sealSecret } from './secrets.ts';

type Body = Static<typeof NewWebhook>;

/** Headers of the delivery itself and of the connection (RFC 9110 7.6.1): a second value would contradict the first. */
const reserved = new Set([
  ...[
    'host',
    'content-length',
    'transfer-encoding',
    'content-type',
    'content-encoding',
    'connection',
    'keep-alive',
    'proxy-connection',
    'upgrade',
    'te',
  ],
  ...[
    'trailer',
    'expect',
    'proxy-authorization',
    'proxy-authenticate',
    'user-agent',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ],
]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII with single spaces and tabs between (RFC 9110 5.5); none of it ends a line. */
const VALUE = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;

/** The row to store. `known`: what is stored already, which masked and omitted secrets keep. */
export function storable(
  tx: Tx,
  { sealing }: Services,
  actions: ReadonlySet<string>,
  body: Body,
  known?: WebhookSecrets,
): WebhookRow {
  const authentication = body.authentication ?? { type: 'none' as const };
  const oauth = authentication.type === 'oauth2';
  const errors = [
    ...eventErrors(body.events, actions),
    ...headerErrors(body.custom_headers ?? {}, oauth),
    ...clientErrors(authentication, known),
  ];
  if (errors.length > 0) refuseFields(errors);
  const seal = (text: string) => sealSecret(sealing, tx.organisation_id, text);
  const opened = (sealed: string | null | undefined): Record<string, string> => {
    if (sealed == null) return {};
    try {
      return JSON.parse(openSecret(sealing, tx.organisation_id, sealed));
    } catch (cause) {
      throw new Refusal('secret_unreadable', 'Stored secrets were sealed with another key. Send every value anew.', {
        cause,
      });
    }
  };
  const unmasked = (field: string, given: Readonly<Record<string, string>>, sealed: string | null | undefined) =>
    Object.values(given).includes(MASK) ? kept(field, given, opened(sealed)) : given;
  const headers = unmasked('custom_headers', body.custom_headers ?? {}, known?.custom_headers_sealed);
  const form = unmasked('authentication.form_params', authentication.form_params ?? {}, known?.form_params_sealed);
  const { client_secret } = authentication;
  return {
    name: body.name,
    url: body.url,
    authentication_type: authentication.type,
    login_url: oauth ? (authentication.login_url ?? null) : null,
    client_id: oauth ? (authentication.client_id ?? null) : null,
    client_secret_sealed: oauth
      ? client_secret == null || client_secret === MASK
        ? (known?.client_secret_sealed ?? null)
        : seal(client_secret)
      : null,
    form_params_sealed: oauth ? seal(JSON.stringify(form)) : null,
    form_param_names: oauth ? Object.keys(form) : [],
    custom_headers_sealed: seal(JSON.stringify(headers)),
    custom_header_names: Object.keys(headers),
    events: [...new Set(body.events)],
    content_scope: body.content_scope ?? 'public',
    active: body.active ?? true,
  };
}

const kept = (field: string, given: Readonly<Record<string, string>>, stored: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value === MASK
        ? (stored[name] ??
          refuse('invalid_request', `"${field}.${name}" has no stored value that ${MASK} could keep.`, {
            path: `${field}.${name}`,
          }))
        : value,
    ]),
  );

const eventErrors = (events: readonly string[], actions: ReadonlySet<string>): FieldError[] =>
  events.flatMap((action, n) =>
    actions.has(action)
      ? []
      : [{ path: `events[${n}]`, message: `is no event that can be subscribed to: ${action.slice(0, 100)}` }],
  );

function headerErrors(headers: Readonly<Record<string, string>>, oauth: boolean): FieldError[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]): FieldError[] => {
    const lower = name.toLowerCase();
    const problem = !TOKEN.test(name)
      ? 'is not a valid header name'
      : reserved.has(lower)
        ? 'is set by the delivery itself'
        : oauth && lower === 'authorization'
          ? 'is set by OAuth 2.0'
          : seen.has(lower)
            ? 'is there twice'
            : VALUE.test(value)
              ? undefined
              : 'must be visible ASCII on one line, without spaces at its ends';
    seen.add(lower);
    return problem === undefined ? [] : [{ path: `custom_headers.${name.slice(0, 100)}`, message: problem }];
  });
}

function clientErrors(
  { type, login_url, client_id, client_secret }: NonNullable<Body['authentication']>,
  known?: WebhookSecrets,
): FieldError[] {
  if (type === 'none') return [];
  const missing = {
    login_url: !login_url,
    client_id: !client_id,
    client_secret: !client_secret && !known?.client_secret_sealed,
  };
  return Object.entries(missing).flatMap(([name, is]) =>
    is ? [{ path: `authentication.${name}`, message: 'is required for oauth2' }] : [],
  );
}

/** Asks name servers, which may take seconds: never within a transaction. */
export async function checkAddresses(services: Services, { url, authentication }: Body) {
  await checkAddress(services, 'url', url);
  if (authentication?.type === 'oauth2')
    await checkAddress(services, 'authentication.login_url', authentication.login_url ?? '');
}

/** The same guard that decides when it is called. */
async function checkAddress({ egress }: Services, path: string, url: string) {
  await egress.check(url).catch((error) => {
    if (error instanceof EgressFailure) throw new Refusal('address_refused', error.message, { path, cause: error });
    throw error;
  });
}

// Who asks, and the first file of this room.
//
// Every way in ends in one `Actor`: an API key of an app, a person's own key, a session, a user JWT of an app, what a
// person has granted to a program (OAuth). Modules declare how they recognise a credential (`authenticators` in their
// module.ts: sessions, apps, oauth); the first that recognises one decides. Then one rule says whether the actor may
// call the endpoint at all:
//
//   actors   some endpoints are for people only, for signed-in people only, or for apps by a JWT of their own
//   roles    what needs a role needs it of everybody who is a person; apps are limited by scopes alone
//   scope    `<family>.<part>.<read|write|admin>`; people have the scopes that their roles imply (scopes.ts)
//
// Which rows the actor may touch is decided by the families' access.ts, in SQL. A credential is looked up for every
// request, so a revoked one is refused at once on every node; requests under way are refused by in-flight.ts when their
// person leaves.
//
//   scopes.ts     families of scopes, what a role may ask for, when one scope covers another
//   in-flight.ts  requests of people that this node works on, and how leaving reaches all nodes
//   secrets.ts    random secrets, their hashes, passwords (argon2id)
//   sealing.ts    secrets that must be used again, sealed with a key that the database does not have
import type { FastifyRequest } from 'fastify';
import type { Endpoint, Role } from '../contract/contract.ts';
import { Refusal, refuse } from '../contract/errors.ts';
import type { Db, Tx } from '../data/db.ts';
import { originOf } from '../http/origin.ts';
import { holds } from './scopes.ts';

/** Who asks. Every way in ends here, so every rule is written once. */
export interface Actor {
  /**
   * `key` is an app, which only its scopes limit. `app` is one by a JWT of its own, for what is for apps alone. All
   * others are a person, who reaches no further than that person may.
   */
  readonly kind: 'key' | 'personal_key' | 'session' | 'jwt' | 'grant' | 'app';
  readonly organisation_id: number;
  /** The person, or the service account of the key's app: the creator of what is written. */
  readonly user_id: number;
  /** A person's own credential, not an app's. */
  readonly is_person?: boolean;
  readonly scopes: readonly string[];
  readonly roles: readonly Role[];
  /** Key, session or app id, for the log and the audit. */
  readonly credential_id: number;
  /** When the credential ends by itself, for what outlives a request. */
  readonly expires_ms?: number;
}

/** What a request was made with, of what it may do nothing said. */
export interface Credential extends Pick<Actor, 'organisation_id' | 'credential_id'> {
  readonly kind: Actor['kind'] | 'scim';
}

/** An app, which only its scopes limit, or an administrator: neither ends at what reaches one person. */
export const isUnbounded = ({ kind, roles }: Actor): boolean => kind === 'key' || roles.includes('admin');

/** Somebody who looks at it, on a page of ours or of an app; not a program. */
export const isViewer = ({ kind }: Actor): boolean => kind === 'session' || kind === 'jwt';

/** Recognises one kind of credential. Undefined: the request carries none of this kind. Throws `unauthorized`. */
export type Authenticator = (
  request: FastifyRequest,
  brandHeader: (name: string) => string | undefined,
  db: Db,
) => Promise<Actor | undefined>;

export interface Authentication {
  /** The actor, allowed to call this endpoint, or a refusal. */
  authenticate(request: FastifyRequest, endpoint: Endpoint): Promise<Actor>;
  /** Undefined: it carries no credential. Throws where it carries one that is not good. */
  recognise(request: FastifyRequest): Promise<Actor | undefined>;
  /** For endpoints without a credential (signing in): the organisation that the request names. */
  organisationOf(request: FastifyRequest): Promise<Tx>;
}

export const refuseUnauthorized = (): never =>
  refuse('unauthorized', 'The credential is missing, unknown, revoked or expired.', {
    headers: { 'www-authenticate': 'Bearer' },
  });

export function createAuthentication(db: Db, brand: string, authenticators: readonly Authenticator[]): Authentication {
  const own = brand.toLowerCase();
  // Clients of the hosted original keep their header names, whatever the brand.
  const brandHeader = (request: FastifyRequest) => (name: string) => {
    const value = request.headers[name.replace('service', own)] ?? request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };

  const recognise = async (request: FastifyRequest) => {
    for (const authenticator of authenticators) {
      const actor = await authenticator(request, brandHeader(request), db);
      if (actor) {
        request.credential = actor;
        return actor;
      }
    }
    return undefined;
  };

  return {
    recognise,
    async authenticate(request, endpoint) {
      const actor = (await recognise(request)) ?? refuseUnauthorized();
      const refusal = refusalOf(actor, endpoint);
      if (refusal) throw refusal;
      return actor;
    },
    async organisationOf(request) {
      const named = brandHeader(request)('service-id');
      if (named !== undefined) return db.inOrganisation(serviceId(named), originOf(request));
      const [found] = await db.installation.rows<{ id: number }>('select id from organisations where domain = $1', [
        request.host.toLowerCase(),
      ]);
      return found
        ? db.inOrganisation(found.id, originOf(request))
        : refuse(
            'service_id_required',
            'Send the header Service-Id with the id of your organisation, or use its own domain.',
          );
    },
  };
}

/** The organisation's id as the header carries it. */
export function serviceId(header: string | undefined): number {
  if (header === undefined || !/^[1-9]\d{0,15}$/.test(header.trim()))
    throw new Refusal('service_id_required', 'The header Service-Id must carry the integer id of your organisation.', {
      path: 'Service-Id',
    });
  return Number(header);
}

const APP_ONLY = 'A JWT whose sub is app does only what is for apps.';
const OTHER_KIND = 'This takes another kind of credential: see its description.';
const forbidden = (message: string, meta = {}) => new Refusal('forbidden', message, { meta });
const missing = (required_scopes: readonly string[]) =>
  forbidden(`The credential does not hold the scope ${required_scopes[0]}.`, { required_scopes });

/** Why this actor may not call the endpoint at all; undefined: which rows they reach is decided by the call. */
export function refusalOf(actor: Actor, endpoint: Endpoint): Refusal | undefined {
  // A family gives every endpoint a scope; what has none is closed.
  const { roles, scope = '' } = endpoint;
  const actors = endpoint.actors === 'credential' ? undefined : endpoint.actors;
  const isKey = actor.kind === 'key' || actor.kind === 'personal_key';
  if ((actors === 'app') !== (actor.kind === 'app')) return forbidden(actors ? OTHER_KIND : APP_ONLY);
  if (actors && isKey) return forbidden('Only a person can do this, not an API key.');
  if (actors === 'session' && actor.kind !== 'session') return forbidden('Only a signed-in person can do this.');
  // What needs a role needs it of everybody who is a person; what acts for them needs the scope besides.
  if (roles && actor.kind !== 'key' && !roles.some((role) => actor.roles.includes(role)))
    return forbidden(`This needs one of the roles ${roles.join(', ')}.`, { required_roles: roles });
  if (scope === null || (roles && actor.kind === 'session') || holds(actor.scopes, scope)) return undefined;
  return missing([scope]);
}

/** Whoever asks for what they may not read is told all the scopes for it. */
export function refuseUnlessReadable({ scopes }: Actor, required_scopes: readonly string[]) {
  const lacking = required_scopes.filter((scope) => !holds(scopes, scope));
  if (lacking.length > 0) throw missing(lacking);
}

/** Of what a credential may read by its type: those that are asked for, or all that it may. */
export function readable<One extends { readonly type: string }>(
  actor: Actor,
  all: readonly One[],
  types: readonly string[] | undefined,
  scopeOf: (one: One) => string,
): readonly One[] {
  if (types) {
    const asked = all.filter(({ type }) => types.includes(type));
    refuseUnlessReadable(actor, asked.map(scopeOf));
    return asked;
  }
  const held = all.filter((one) => holds(actor.scopes, scopeOf(one)));
  if (held.length === 0) throw missing(['*.*.read']);
  return held;
}

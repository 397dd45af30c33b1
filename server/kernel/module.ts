// A module says in one declaration what it brings (modules/<name>/module.ts), and server/modules.ts lists the
// declarations, each below those that depend on it.
//
// What a lower module asks of those above it, without knowing them, is an *extension point*: it is defined where it is
// asked for, and the modules above contribute to it.
//
//   export const endsWithPerson = extensionPoint<Ending>();                          users/deactivation.ts
//   contributes: [endsWithPerson({ name: 'sessions', end: endSessions })]            sessions/module.ts
//   for (const { name, end } of endsWithPerson.all) …                                users/deactivation.ts
import type { FastifyInstance } from 'fastify';
import type { Listing } from './data/listing.ts';
import type { Sql } from './data/sql.ts';
import type { Destination } from './delivery/destination.ts';
import type { Event, Relay } from './delivery/outbox.ts';
import type { Visibility } from './delivery/visibility.ts';
import type { Mounted } from './http/methods.ts';
import type { Metrics } from './http/metrics.ts';
import type { Routes, Services } from './http/routes.ts';
import type { Authentication, Authenticator } from './people/auth.ts';
import type { FanOut } from './work/fan-out.ts';
import type { Chore, Job } from './work/jobs.ts';

export interface Module {
  /** The folder. */
  readonly name: string;
  /** Tables that this module alone writes. */
  readonly tables?: readonly string[];
  readonly routes?: readonly Routes[];
  /** Events that it emits. */
  readonly events?: readonly Event[];
  /** Which of its content everybody may see, by the content's key in payloads. */
  readonly visibility?: Visibility;
  /** Lists whose totals are kept in blocks. */
  readonly lists?: readonly Listing[];
  readonly jobs?: readonly Job<never>[];
  readonly chores?: readonly Chore[];
  /** Scalar: when a chore has something to do next, or null. */
  readonly due?: Sql;
  readonly authenticators?: (services: Services) => readonly Authenticator[];
  readonly relays?: readonly Relay[];
  readonly destinations?: readonly Destination[];
  /** Paths that are no endpoints: files, feeds, sockets, protocols of others. */
  readonly mount?: (app: FastifyInstance, services: Services, node: Node) => unknown;
  /** What it mounts itself and has methods of its own. */
  readonly alsoMounted?: readonly Mounted[];
  /** An interface of others' making that it mounts, for the API document. */
  readonly protocol?: Protocol;
  readonly contributes?: readonly Contribution[];
}

/** Operations beside those of contracts, as OpenAPI has them. */
export interface Protocol {
  readonly name: string;
  readonly description: string;
  /** `put` makes a shared component and answers the reference to it. */
  paths(put: PutComponent): Readonly<Record<string, Readonly<Record<string, object>>>>;
}
export type PutComponent = (
  kind: 'schemas' | 'parameters' | 'headers' | 'requestBodies' | 'responses',
  names: readonly string[],
  component: object,
) => object;

/** What a node has beside the services of a request. */
export interface Node {
  readonly fanOut: FanOut;
  readonly authentication: Authentication;
  readonly metrics: Metrics;
  /** Something was written for this organisation: its background work is due. */
  touched(organisation_id: number): void;
}

/** Something for an extension point; it takes effect when the module is installed. */
export type Contribution = () => void;
export interface ExtensionPoint<T> {
  (one: T): Contribution;
  /** In the order of the modules. */
  readonly all: readonly T[];
}
export function extensionPoint<T>(): ExtensionPoint<T> {
  const all: T[] = [];
  return Object.assign((one: T) => () => void all.push(one), { all });
}

/** Puts what each module contributes where it is asked for. Once, before anything is served. */
export function install<Modules extends readonly Module[]>(modules: Modules): Modules {
  for (const { contributes = [] } of modules) for (const contribute of contributes) contribute();
  return modules;
}

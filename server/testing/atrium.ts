// A whole Atrium for one test file: its own database cloned from the template, real HTTP, every reply and every event
// checked against the contracts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { type Dispatcher, request } from 'undici';
import { type Atrium, buildApp } from '../app.ts';
import { type Clock, createClock } from '../kernel/clock.ts';
import { type Config, readConfig } from '../kernel/config.ts';
import type { Endpoint } from '../kernel/contract/contract.ts';
import { commonErrors } from '../kernel/contract/errors.ts';
import * as t from '../kernel/contract/schema.ts';
import { replySchema } from '../modules/docs/replies.ts';
import { events } from '../modules.ts';
import { compileStrict } from './strict.ts';
import { PASSWORD, type TestWorld } from './world.ts';

const templateUrl = process.env.ATRIUM_TEST_DATABASE ?? '';
if (!templateUrl) throw new Error('Run tests with `npm test -- <words of the file name>`: they need its database.');
export const world = JSON.parse(process.env.ATRIUM_TEST_WORLD ?? '{}') as TestWorld;

export interface TestAtrium extends Atrium {
  readonly url: string;
  readonly database_url: string;
  readonly clock: Clock;
  call: Call;
  /** A key of the demo organisation with these scopes. */
  keyWith(scopes: string[]): Promise<string>;
  /** Another server on the same database. */
  secondNode(): Promise<TestAtrium>;
  /** Outbox rows, oldest first. */
  outbox(
    organisation_id?: number,
  ): Promise<
    { action: string; payload: Record<string, Record<string, unknown>>; is_public: boolean; space_id: number | null }[]
  >;
  /** Ends it before the file's last test does, where one file starts many. */
  finish(): Promise<void>;
  /** Runs jobs and chores until nothing is due. */
  drain(): Promise<void>;
  /** Rows of any statement, for asserting what is stored. */
  rows<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
}

export interface CallOptions {
  /** API key; default: the demo organisation's key for everything. null sends none. */
  key?: string | null;
  service_id?: string | number | null;
  json?: unknown;
  form?: FormData | Record<string, string>;
  urlencoded?: string;
  headers?: Record<string, string>;
  /** A raw body with its content type. */
  raw?: { body: Buffer | string; type: string };
}
export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape.
  body: any;
  headers: Headers;
}
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

let databases = 0;

/** Started at the top of a test file, closed after its last test; with `keep`, by whoever calls `finish`. */
export async function startAtrium(settings: Partial<Config> = {}, { keep = false } = {}): Promise<TestAtrium> {
  const name = `test_${process.pid}_${databases++}`;
  await admin(`create database ${name} template atrium strategy file_copy`);
  const url = new URL(templateUrl);
  url.pathname = `/${name}`;
  const started: TestAtrium[] = [];
  const start = async () => {
    const atrium = await startNode(url.href, settings, start, finish);
    started.push(atrium);
    return atrium;
  };
  const finish = async () => {
    const [first, ...others] = started.splice(0);
    if (!first) return;
    try {
      await checkEvents(first);
    } finally {
      for (const atrium of [...others, first]) await atrium.close();
      await admin(`drop database ${name} with (force)`);
    }
  };
  if (!keep) after(finish);
  return start();
}

async function admin(statement: string) {
  const url = new URL(templateUrl);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // Cloning needs the template without other sessions; another test file may be cloning it right now.
    await client.query(`select pg_advisory_lock(hashtext('atrium template'))`);
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function startNode(
  database_url: string,
  settings: Partial<Config>,
  secondNode: () => Promise<TestAtrium>,
  finish: () => Promise<void>,
): Promise<TestAtrium> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-files-'));
  const config: Config = {
    ...readConfig({ ATRIUM_ENV: 'test', ATRIUM_DATA: folder, ATRIUM_SECRET_KEY: process.env.ATRIUM_TEST_SECRET_KEY }),
    ...settings,
  };
  const clock = createClock({ movable: true });
  const atrium = await buildApp({
    config,
    database_url,
    clock,
    logger: pino({ level: process.env.ATRIUM_LOG ?? 'silent' }),
  });
  const violations: string[] = [];
  atrium.http.addHook('onSend', (request, reply, payload, done) => {
    const { endpoint, operation } = request.routeOptions.config;
    // A dry run answers 200 with what another answer would be: server/sweep.test.ts compares the two.
    const isTrial = reply.hasHeader('x-dry-run') && reply.statusCode === 200;
    if (endpoint && operation && request.method !== 'HEAD' && !isTrial)
      violations.push(...check(operation, endpoint, reply.statusCode, payload));
    done(null, payload);
  });
  await atrium.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = atrium.http.server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const { db } = atrium.services;
  return {
    ...atrium,
    url,
    database_url,
    clock,
    secondNode,
    finish,
    call: (method, path, options) => call(url, method, path, options),
    keyWith: async (scopes) =>
      (await call(url, 'POST', '/v1/admin/apps/2/keys', { json: { name: 'Test', scopes } })).body.data.api_key,
    drain: atrium.workers.drain,
    rows: (text, values) => db.installation.rows(text, values),
    outbox: (organisation_id = world.northwind.organisation_id) =>
      db.installation.rows(
        `select action, payload::jsonb as payload, is_public, space_id from outbox
         where organisation_id = $1 order by id`,
        [organisation_id],
      ),
    close: async () => {
      await atrium.close();
      rmSync(folder, { recursive: true, force: true });
      assert.deepEqual(violations, [], 'replies that break their contract');
    },
  };
}

async function call(
  base: string,
  method: string,
  path: string,
  { key, service_id, json, form, urlencoded, headers, raw }: CallOptions = {},
): Promise<Reply> {
  const organisation = service_id === undefined ? world.northwind.organisation_id : service_id;
  const token = key === undefined ? world.northwind.api_key : key;
  const [body, type] = await bodyOf({ json, form, urlencoded, raw });
  const response = await request(base + path, {
    method: method as Dispatcher.HttpMethod,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(organisation === null ? {} : { 'service-id': String(organisation) }),
      ...(type ? { 'content-type': type } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.body.text();
  const replied = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    for (const each of [value ?? []].flat()) replied.append(name, each);
  return {
    status: response.statusCode,
    body: replied.get('content-type')?.includes('json') && text ? JSON.parse(text) : text,
    headers: replied,
  };
}

async function bodyOf({ json, form, urlencoded, raw }: CallOptions): Promise<[body?: string | Buffer, type?: string]> {
  if (raw) return [raw.body, raw.type];
  if (json !== undefined) return [JSON.stringify(json), 'application/json'];
  if (urlencoded !== undefined) return [urlencoded, 'application/x-www-form-urlencoded'];
  if (!form) return [];
  const data = form instanceof FormData ? form : new FormData();
  if (data !== form) for (const [name, value] of Object.entries(form)) data.append(name, value);
  const written = new Response(data);
  return [Buffer.from(await written.arrayBuffer()), written.headers.get('content-type') ?? ''];
}

// ---- Contracts ---------------------------------------------------------------------------------------------------

const replies = new Map<string, (value: unknown) => string[]>();

function check(operation: string, endpoint: Endpoint, status: number, payload: unknown): string[] {
  const isDocument = endpoint.media !== undefined && status < 400;
  const body = typeof payload === 'string' && !isDocument ? JSON.parse(payload) : undefined;
  if (status >= 400) {
    const code = body?.code as string;
    const declared = endpoint.errors?.[code] ?? commonErrors[code];
    return declared === status ? [] : [`${operation}: ${status} ${code} is not declared`];
  }
  if (status === 304 || Buffer.isBuffer(payload) || payload instanceof Readable) return [];
  if (status !== (endpoint.status ?? 200)) return [`${operation}: status ${status} is not declared`];
  if (isDocument) return [];
  let validate = replies.get(operation);
  if (!validate) {
    validate = compileStrict(replySchema(endpoint) as never);
    replies.set(operation, validate);
  }
  return validate(body).map((problem) => `${operation}: ${problem}`);
}

const payloads = new Map<string, (value: unknown) => string[]>();

function payloadProblems(action: string, payload: unknown): string[] {
  let validate = payloads.get(action);
  if (!validate) {
    const event = events.find((each) => each.action === action);
    validate = event ? compileStrict(t.Object({ ...event.payload })) : () => ['not declared'];
    payloads.set(action, validate);
  }
  return validate(payload);
}

async function checkEvents(atrium: TestAtrium) {
  const rows = await atrium.rows<{ action: string; payload: unknown }>(
    'select action, payload::jsonb as payload from outbox order by organisation_id, id',
  );
  const problems = rows.flatMap(({ action, payload }) =>
    payloadProblems(action, payload).map((problem) => `${action}: ${problem}`),
  );
  assert.deepEqual(problems.slice(0, 5), [], 'events that break their schema');
}

/** A signed-in person of the cast: calls carry the cookie and, for writes, the CSRF token. */
export async function signIn(
  atrium: TestAtrium,
  email: string,
  password = PASSWORD,
): Promise<{ call: Call; cookie: string; csrf: string; user: { id: number } }> {
  const reply = await atrium.call('POST', '/v1/sessions', { key: null, json: { email, password } });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
  const csrf = reply.body.data.csrf_token as string;
  return {
    cookie,
    csrf,
    user: reply.body.data.user,
    call: (method, path, options = {}) =>
      atrium.call(method, path, {
        key: null,
        service_id: null,
        ...options,
        headers: { cookie, 'x-csrf-token': csrf, ...options.headers },
      }),
  };
}

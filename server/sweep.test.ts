// The promises that hold for every endpoint, made from the contracts.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type { Endpoint } from './kernel/contract/contract.ts';
import { isOpen } from './kernel/http/body-limits.ts';
import { routes } from './modules.ts';
import { appJwt, provision } from './testing/app-jwt.ts';
import { type CallOptions, type Reply, signIn, startAtrium, type TestAtrium, world } from './testing/atrium.ts';
import { PASSWORD } from './testing/world.ts';

const endpoints = routes.flatMap(({ family }) =>
  Object.entries(family.endpoints).map(([operation, endpoint]) => ({
    family: family.name,
    operation,
    endpoint: endpoint as Endpoint,
  })),
);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/eL9GtQAAAABJRU5ErkJggg==',
  'base64',
);

const pathOf = ({ path, example }: Endpoint) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(example.params?.[name])));
const queryOf = ({ example }: Endpoint) => {
  const text = new URLSearchParams(
    Object.entries(example.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text && `?${text}`;
};
const bodyOf = ({ example, body }: Endpoint): CallOptions & { json?: object } => {
  if (!body) return {};
  const files = Object.entries(example.body ?? {}).filter(
    ([, value]) => typeof value === 'string' && value.startsWith('file:'),
  );
  if (files.length === 0) return { json: example.body ?? {} };
  const form = new FormData();
  for (const [name, value] of Object.entries(example.body ?? {}))
    form.append(name, String(value).startsWith('file:') ? new Blob([png]) : String(value), 'portrait.png');
  return { form };
};
interface Shape {
  properties?: Record<string, Shape>;
  items?: Shape;
}
/** Nothing is sent in a dry run. */
const asksOthers = ['tryBot'];
/** What another example makes: a dry run of that would use its id up. */
const needsAnother = ['unmute', 'deleteAuditSink'];
const makesIt = ['createAuditSink'];
/** Where an earlier example changed the password. */
const cannotSignIn = () => undefined;
const deletesLast = ({ method }: Endpoint) => Number(method === 'DELETE');
const atrium = await startAtrium();
const sessions = new Map<TestAtrium, ReturnType<typeof signIn>>();
// Before anything is compared: a sign-in is written.
await signedIn(atrium, '');
const document = (await atrium.call('GET', '/openapi.json', { key: null })).body;

/**
 * Everything an organisation stores, as one text that changes with any write; use of a key or session is no write, nor
 * is the log of what was asked.
 */
const contents = async (target: TestAtrium) => {
  const tables = await target.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'organisation_id'
       and table_name not in ('list_blocks', 'list_totals', 'list_changes',
         'upload_totals', 'upload_changes')
       and table_name !~ '^(request|search|audit)_'
     order by 1`,
  );
  const sums = await Promise.all(
    tables.map(({ name }) =>
      target.rows<{ sum: string }>(
        `select '${name}' || coalesce(md5(string_agg(x::text, '|' order by x::text)), '') as sum
         from (select to_jsonb(t) - 'last_used_at' - 'last_seen_at' as x from ${name} t) r`,
      ),
    ),
  );
  return sums.flat().map(({ sum }) => sum);
};

describe('every endpoint', () => {
  for (const { operation, endpoint } of endpoints) {
    test(`${operation} is described: summary, description or plain name, scope, example`, () => {
      assert.ok(endpoint.summary.length > 5);
      assert.ok(endpoint.scope !== undefined);
      assert.ok(!endpoint.path.includes('{') || endpoint.example.params, 'an example of its path');
      assert.ok(!endpoint.body || endpoint.example.body, 'an example of its body');
      assert.ok(
        !/^(PATCH|POST|PUT)$/.test(endpoint.method) || !endpoint.body || endpoint.documented,
        'the documented body format',
      );
    });
  }
});

describe('without the right credential', async () => {
  const before = await contents(atrium);
  for (const { operation, endpoint } of endpoints.filter((each) => !isOpen(each.endpoint))) {
    const path = pathOf(endpoint) + queryOf(endpoint);
    test(`${operation}: no credential is a 401`, async () => {
      const reply = await atrium.call(endpoint.method, path, { ...bodyOf(endpoint), key: null });
      assert.equal(reply.status, 401);
      assertDeclared(endpoint, 401, reply.headers);
    });
    test(`${operation}: an unknown key is a 401`, async () => {
      assert.equal(
        (await atrium.call(endpoint.method, path, { ...bodyOf(endpoint), key: '12|some-other-alphabet' })).status,
        401,
      );
    });
    test(`${operation}: a key of another organisation is a 401`, async () => {
      assert.equal(
        (await atrium.call(endpoint.method, path, { ...bodyOf(endpoint), key: world.contoso.api_key })).status,
        401,
      );
    });
    test(`${operation}: a key without Service-Id is a 400 that names the header`, async () => {
      const reply = await atrium.call(endpoint.method, path, { ...bodyOf(endpoint), service_id: null });
      assert.deepEqual(
        [reply.status, reply.body.code, reply.body.meta.errors[0].path],
        [400, 'service_id_required', 'Service-Id'],
      );
    });
    test(`${operation}: a key without the scope is a 403`, async () => {
      const reply = await atrium.call(endpoint.method, path, { ...bodyOf(endpoint), key: world.powerless });
      assert.equal(reply.status, endpoint.actors === 'credential' ? 200 : 403);
      if (endpoint.scope && !endpoint.actors) assert.deepEqual(reply.body.meta.required_scopes, [endpoint.scope]);
    });
  }
  test('and nothing was written', async () => assert.deepEqual(await contents(atrium), before));
});

describe('another organisation', async () => {
  const before = await contents(atrium);
  const named = endpoints.filter(
    ({ endpoint: { path, actors, scope } }) => path.includes('{') && !path.includes('{start}') && !actors && scope,
  );
  for (const { operation, endpoint } of named) {
    test(`${operation}: its ids are a 404`, async () => {
      const reply = await atrium.call(endpoint.method, pathOf(endpoint) + queryOf(endpoint), {
        ...bodyOf(endpoint),
        key: world.contoso.api_key,
        service_id: world.contoso.organisation_id,
      });
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
    });
  }
  test('and nothing was written', async () => assert.deepEqual(await contents(atrium), before));
});

describe('bad input', async () => {
  const before = await contents(atrium);
  const spoilt = (schema: Record<string, unknown>): unknown => {
    if (schema.anyOf) return spoilt((schema.anyOf as Record<string, unknown>[])[0] ?? {});
    if (schema.additionalProperties) return 'no object';
    return schema.type === 'integer'
      ? 'twelve'
      : schema.type === 'boolean'
        ? 'perhaps'
        : schema.type === 'array'
          ? { a: 1 }
          : schema.enum
            ? 'none of these'
            : schema.format
              ? 'no such form'
              : { not: 'text' };
  };
  for (const { operation, endpoint } of endpoints.filter(({ endpoint }) => endpoint.body && !endpoint.actors)) {
    const properties = Object.entries(
      (endpoint.body as unknown as { properties: Record<string, Record<string, unknown>> }).properties,
    );
    for (const [field, schema] of properties) {
      test(`${operation}: ${field} that cannot be read is a 400 with its name`, async () => {
        const reply = await atrium.call(endpoint.method, pathOf(endpoint), {
          json: { ...endpoint.example.body, [field]: spoilt(schema) },
        });
        assert.equal(reply.status, 400);
        assert.ok(
          reply.body.meta.errors.some(
            ({ path }: { path: string }) => typeof path === 'string' && path.startsWith(field),
          ),
          JSON.stringify(reply.body),
        );
      });
    }
  }
  for (const { operation, endpoint } of endpoints.filter(
    ({ endpoint: { list, actors } }) => list && 'updated_at' in ((list as Shape).properties ?? {}) && !actors,
  ))
    test(`${operation}: updated_after leaves out what has not changed since`, async () => {
      const listed = async (query: string) => {
        const { status, body } = await atrium.call('GET', `${pathOf(endpoint)}?take=500&${query}`);
        assert.deepEqual([status, body.meta.pagination.total_records], [200, body.data.length], JSON.stringify(body));
        return body.data as { updated_at: string }[];
      };
      const all = await listed('');
      const later = all.filter(({ updated_at }) => updated_at > (all[0]?.updated_at ?? ''));
      assert.equal((await listed('updated_after=2000-01-01T00:00:00Z')).length, all.length);
      assert.equal(
        (await listed(`updated_after=${all[0]?.updated_at ?? '2000-01-01T00:00:00Z'}`)).length,
        later.length,
      );
      assert.deepEqual(await listed('updated_after=2100-01-01T00:00:00Z'), []);
    });
  test('an audience names its spaces and teams with id and name, whatever it is of', () => {
    const audiences = endpoints.flatMap(({ operation, endpoint: { reply, list } }) => {
      const { properties = {} } = (reply ?? list ?? {}) as { properties?: Record<string, Shape> };
      return properties.audience && !('bot_userid' in properties) ? [[operation, properties.audience] as const] : [];
    });
    assert.ok(audiences.length > 20);
    for (const [operation, { properties }] of audiences)
      for (const kind of ['spaces', 'teams'])
        assert.deepEqual(Object.keys(properties?.[kind]?.items?.properties ?? {}), ['id', 'name'], operation);
  });
  for (const { operation, endpoint } of endpoints.filter(({ endpoint }) => endpoint.list && !endpoint.actors)) {
    test(`${operation}: up to 500 rows at once`, async () => {
      const { status, body } = await atrium.call('GET', `${pathOf(endpoint)}?take=500`);
      const { take, total_records, next_page } = body.meta.pagination;
      assert.deepEqual([status, take, next_page === null], [200, 500, total_records <= 500]);
    });
    for (const query of ['take=0', 'take=501', 'skip=-1', 'take=many']) {
      test(`${operation}: ${query} is a 400 with its name`, async () => {
        const reply = await atrium.call('GET', `${pathOf(endpoint)}?${query}`);
        assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, query.split('=')[0]]);
      });
    }
  }
  for (const { operation, endpoint } of endpoints.filter(
    ({ endpoint }) => /\{id\}/.test(endpoint.path) && !endpoint.actors,
  )) {
    test(`${operation}: an id that is no integer is a 400`, async () => {
      const reply = await atrium.call(endpoint.method, endpoint.path.replace('{id}', 'abc'), bodyOf(endpoint));
      assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'id']);
    });
  }
  for (const { endpoint } of endpoints) {
    const allowed = endpoints
      .filter((each) => each.endpoint.path === endpoint.path)
      .map((each) => each.endpoint.method);
    const other = (['PATCH', 'DELETE', 'PUT', 'POST'] as const).find((method) => !allowed.includes(method));
    test(`${other} ${endpoint.path} is a 405 with Allow`, async () => {
      const reply = await atrium.call(other ?? '', pathOf(endpoint));
      assert.equal(reply.status, 405);
      for (const method of allowed) assert.ok(reply.headers.get('allow')?.includes(method));
    });
  }
  test('and nothing was written', async () => assert.deepEqual(await contents(atrium), before));
});

describe('a dry run', async () => {
  const files = () =>
    readdirSync(atrium.services.config.data_dir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
      .length;
  const [before, kept] = [await contents(atrium), files()];
  // A JWT of an app is used up by its check.
  const writes = endpoints.filter(({ endpoint }) => endpoint.method !== 'GET' && endpoint.actors !== 'app');
  for (const { operation, endpoint } of writes) {
    test(`${operation} is tried, or says why it cannot be`, async () => {
      const { status, headers, body } = await tryExample(atrium, endpoint);
      if (!mayBeTried(operation, endpoint))
        return assert.deepEqual([status, body.meta.errors[0].path], [400, 'X-Dry-Run']);
      if (needsAnother.includes(operation)) return assert.equal(status, 404);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(headers.get('x-dry-run'), 'true');
      assert.equal(body.meta.dry_run.status, endpoint.status ?? 200);
      for (const { action } of body.meta.dry_run.events) assert.ok(endpoint.emits?.includes(action), action);
    });
  }
  test('and nothing was written, nor any file', async () => {
    assert.deepEqual(await contents(atrium), before);
    assert.equal(files(), kept);
  });
});

// Examples stand in each other's way: what one deleted, the next cannot read. Each is called on the first of its
// family's databases that has what it needs, at last on an untouched one.
describe('every example works', async () => {
  for (const [name, family] of Map.groupBy(endpoints, ({ family }) => family)) {
    describe(name, async () => {
      const databases: TestAtrium[] = [];
      after(async () => {
        for (const database of databases) await database.finish();
      });
      for (const { operation, endpoint } of family.toSorted(
        (a, b) => deletesLast(a.endpoint) - deletesLast(b.endpoint),
      )) {
        const takesJson = endpoint.body && !JSON.stringify(endpoint.example.body).includes('file:');
        const also = takesJson ? '; an unknown field is ignored, never stored, and named' : '';
        test(`${operation}, as documented${also}`, async () => {
          if (endpoint.method === 'GET')
            return assertExample(atrium, operation, endpoint, await callExample(atrium, operation, endpoint));
          for (const database of databases) {
            const reply = await callExample(database, operation, endpoint).catch(cannotSignIn);
            if (reply?.status === (endpoint.status ?? 200))
              return assertExample(database, operation, endpoint, { ...reply, isUsed: true });
          }
          const untouched = await startAtrium({}, { keep: true });
          databases.push(untouched);
          await assertExample(untouched, operation, endpoint, await callExample(untouched, operation, endpoint));
        });
      }
    });
  }
});
/** Of one person, whom no example but those of sessions signs out. */
function signedIn(target: TestAtrium, path: string) {
  const known = path.startsWith('/v1/sessions') ? undefined : sessions.get(target);
  const session = known ?? signIn(target, 'ada.okafor@northwind.example', PASSWORD);
  sessions.set(target, session);
  return session;
}

interface Called extends Reply {
  /** Outbox rows there were before. */
  known: number;
  /** What a dry run of the same said. */
  trial: Reply | undefined;
  /** Other examples have been there. */
  isUsed?: boolean;
}

const mayBeTried = (operation: string, endpoint: Endpoint) =>
  endpoint.method !== 'GET' && endpoint.actors !== 'app' && !isOpen(endpoint) && !asksOthers.includes(operation);
async function tryExample(target: TestAtrium, endpoint: Endpoint): Promise<Reply> {
  const call = endpoint.actors ? (await signedIn(target, '')).call : target.call;
  return call(endpoint.method, pathOf(endpoint) + queryOf(endpoint), {
    ...bodyOf(endpoint),
    ...(isOpen(endpoint) ? { key: null } : {}),
    headers: { 'x-dry-run': '1' },
  });
}

async function callExample(target: TestAtrium, operation: string, endpoint: Endpoint): Promise<Called> {
  const isOfApps = endpoint.actors === 'app';
  const call = endpoint.actors && !isOfApps ? (await signedIn(target, endpoint.path)).call : target.call;
  if (isOfApps) await provision(target, 5, { allowOtpPasswordReset: true });
  const headers = isOfApps ? await appJwt(target) : undefined;
  const isTried = mayBeTried(operation, endpoint) && !makesIt.includes(operation);
  const trial = isTried ? await tryExample(target, endpoint) : undefined;
  const known = (await target.outbox()).length;
  const body = bodyOf(endpoint);
  const reply = await call(endpoint.method, pathOf(endpoint) + queryOf(endpoint), {
    ...(body.json ? { json: { ...body.json, surprise_field: 'surprise-value' } } : body),
    ...(isOpen(endpoint) || isOfApps ? { key: null } : {}),
    ...(headers ? { headers } : {}),
  });
  return { ...reply, known, trial };
}

/** What HTTP itself, its caches and browsers say about any answer. */
const ofProtocol = [
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['cache-control', 'vary', 'x-content-type-options'],
];
/** The API document names the headers of the answer. */
function assertDeclared({ path, method }: Endpoint, status: number, headers: Headers) {
  const { responses } = document.paths[path][method.toLowerCase()];
  const names = Object.keys(document.components.responses[responses[status].$ref.split('/').at(-1)].headers);
  const declared = new Set([...ofProtocol, ...names.map((name) => name.toLowerCase())]);
  assert.deepEqual(
    [...headers.keys()].filter((name) => !declared.has(name)),
    [],
  );
  assert.ok(headers.get('x-request-id'));
}

/** What leaves no entry in the audit log: nothing changes but what somebody has read, or what is a log of its own. */
const unaudited = [
  ...['markRead', 'readNotifications', 'sendWebhookSample', 'redeliverWebhook', 'redeliverCallback'],
  // Their examples ask for what is so already.
  ...['confirmAsset', 'putSignUrlSettings', 'changeTeamUsers', 'replaceDocument', 'replaceBillboard'],
  ...['replaceMessage', 'openBotChannel', 'suspendWebhook', 'recoverWebhook'],
];
/** Reads that leave one: of the whole log, and what makes keys where there are none. */
const auditedReads = ['exportAudit', 'getPushKey', 'listCallbackKeys'];

/** Whatever changes something leaves exactly one entry; what an earlier example did already changes nothing again. */
async function assertAudited(
  target: TestAtrium,
  operation: string,
  { method }: Endpoint,
  request: string,
  isAgain: boolean,
) {
  const { body } = await target.call('GET', `/v1/audit?request_id=${request}`);
  const actions = body.data.map(({ action }: { action: string }) => action);
  const isExpected = method === 'GET' ? auditedReads.includes(operation) : !unaudited.includes(operation);
  if (isAgain && actions.length === 0) return;
  const hint =
    `${operation} must leave one entry in the audit log, and no read any: are its tables left out, or its columns ` +
    `(server/migrations/0084_audit.sql)? If it changes nothing but what one has read, or its ` +
    `example asks for what is so already, name it in \`unaudited\``;
  assert.deepEqual(actions, isExpected ? [operation] : [], hint);
}

/** The shape of a reply: ids and moments differ. */
const namesOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(namesOf)
    : value && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, namesOf(one)]))
      : typeof value;

async function assertExample(
  target: TestAtrium,
  operation: string,
  endpoint: Endpoint,
  { known, isUsed, trial, status, body, headers }: Called,
) {
  assert.equal(status, endpoint.status ?? 200, JSON.stringify(body));
  if (endpoint.media) assert.ok(headers.get('content-type')?.startsWith(endpoint.media));
  else assert.equal(body.status, 'success');
  assertDeclared(endpoint, status, headers);
  if (endpoint.list) assert.equal(typeof body.meta.pagination.total_records, 'number');
  const isAgain = isUsed === true && operation.endsWith('ByExternalId');
  await assertAudited(target, operation, endpoint, headers.get('x-request-id') ?? '', isAgain);
  if (endpoint.method === 'GET') return;
  const emitted = (await target.outbox()).slice(known).map(({ action }) => action);
  for (const action of emitted) assert.ok(endpoint.emits?.includes(action), `${action} is declared`);
  if (trial) {
    const { dry_run } = trial.body.meta;
    const said = [
      dry_run.status,
      dry_run.events.map((one: { action: string }) => one.action),
      namesOf(trial.body.data),
    ];
    assert.deepEqual(said, [status, emitted, namesOf(body.data)], 'a dry run says what happens');
  }
  if (!bodyOf(endpoint).json) return;
  assert.ok(body.meta.warnings.some((text: string) => text.includes('surprise_field')));
  const tables = await target.rows<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const anywhere = tables.map(
    ({ name }) => `select '${name}' as name from ${name} t where t::text like '%surprise-value%'`,
  );
  assert.deepEqual(await target.rows(anywhere.join(' union all ')), []);
}

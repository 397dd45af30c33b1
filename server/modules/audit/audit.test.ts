import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verify } from '../../../cli/chain.js';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';
import { PASSWORD } from '../../testing/world.ts';
import { hashed } from './chain.ts';
import type { Told } from './formats.ts';

const atrium = await startAtrium();
const { organisation_id, api_key } = world.northwind;
const ADA = 'ada.okafor@northwind.example';
const BEN = 'ben.lindqvist@northwind.example';
const idOf = (reply: { headers: Headers }) => reply.headers.get('x-request-id') ?? '';
const listed = async (query: string) => {
  const { status, body } = await atrium.call('GET', `/v1/audit?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data as Told[];
};
const entryOf = async (reply: { headers: Headers }) => {
  const [entry, ...others] = await listed(`request_id=${idOf(reply)}`);
  assert.deepEqual(others, []);
  return entry as Told;
};
const headers = { authorization: `Bearer ${api_key}`, 'service-id': String(organisation_id) };
const downloaded = async (query: string) => {
  const answer = await fetch(`${atrium.url}/v1/audit/export?${query}`, { headers });
  assert.equal(answer.status, 200);
  return { type: answer.headers.get('content-type'), text: await answer.text() };
};

/** The key that calls are made with. */
const [own] = (await atrium.rows(
  `select k.id, k.app_id from api_keys k where organisation_id = 1 and token_sha256 = encode(sha256($1::bytea), 'hex')`,
  [api_key],
)) as [{ id: number; app_id: number }];

describe('an entry', () => {
  test('says who did what to which row, what it was and is, and from where', async () => {
    const made = await atrium.call('POST', '/v1/goals', {
      json: { title: 'Courage' },
      headers: { 'user-agent': 'curl/8' },
    });
    const { id } = made.body.data;
    const changed = await atrium.call('PUT', `/v1/goals/${id}`, {
      json: { title: 'Trust', description: 'x'.repeat(400) },
    });
    const created = await entryOf(made);
    assert.deepEqual(
      { ...created, at: 0, sequence: 0, hash: 0, previous_hash: 0 },
      {
        ...{ organisation_id, at: 0, sequence: 0, hash: 0, previous_hash: 0 },
        action: 'createGoal',
        request_id: idOf(made),
        actor: { type: 'app', id: own.app_id },
        credential: { type: 'key', id: own.id },
        on_behalf_of: null,
        ...{ type: 'goal', id, key: null, change: 'created', before: null },
        after: { id, title: 'Courage', description: '', is_active: true },
        ...{ others: [], ip: '127.0.0.1', user_agent: 'curl/8' },
      },
    );
    const { before, after, change, previous_hash, sequence } = await entryOf(changed);
    assert.deepEqual([change, sequence, previous_hash], ['changed', created.sequence + 1, created.hash]);
    assert.deepEqual(before, { title: 'Courage', description: '' });
    assert.deepEqual(Object.keys(after ?? {}), ['title', 'description']);
    assert.match(JSON.stringify(after?.description), /"characters":400/);
  });

  test('is written with the change or not at all', async () => {
    const refused = await atrium.call('POST', '/v1/goals', { json: { title: '' } });
    assert.equal(refused.status, 400);
    assert.deepEqual(await listed(`request_id=${idOf(refused)}`), []);
    const tx = atrium.services.db.inOrganisation(organisation_id);
    const [{ count }] = (await atrium.rows('select count(*)::int from audit_changes')) as [{ count: number }];
    await assert.rejects(
      tx.transaction(async (inside) => {
        await inside.rows({ parts: ['update goals set title = $$x$$ where organisation_id = $1'], values: [] });
        throw new Error('undone');
      }),
    );
    assert.deepEqual(await atrium.rows('select count(*)::int from audit_changes'), [{ count }]);
  });

  test('of a change without a request names the program; of one that changes nothing there is none', async () => {
    await atrium.rows(`update goals set title = title || '!' where organisation_id = 1 and id = 1`);
    await atrium.rows('update goals set updated_at = now(), title = title where organisation_id = 1 and id = 1');
    const [{ actor, action, ip, object_id }] = (await listed('object_type=goal&object_id=1')) as unknown as [
      Told & { object_id: number },
    ];
    assert.deepEqual([actor, action, ip, object_id], [{ type: 'system', id: null }, 'upkeep', null, undefined]);
  });

  test('of a bulk change counts what it does not show', async () => {
    await atrium.rows(`insert into team_types (organisation_id, name, created_at)
      select 1, 'Type ' || n, now() from generate_series(1, 100) n`);
    const [entry] = await listed('object_type=team_type');
    assert.equal(entry?.others.filter(({ change }) => change === 'created').length, 19);
    assert.deepEqual(entry?.others.at(-1)?.key, { rows: 80 });
  });
});

describe('who it was', () => {
  test('a sign-in is of the person, a failed one says whose account it was and never what was typed', async () => {
    const json = { email: ADA, password: 'Tr0ub4dor&3' };
    const failed = await atrium.call('POST', '/v1/sessions', { key: null, json });
    assert.equal(failed.status, 401);
    const unknown = await atrium.call('POST', '/v1/sessions', {
      key: null,
      json: { ...json, email: 'mypassword@x.org' },
    });
    const ada = await signIn(atrium, ADA);
    const own = await ada.call('POST', '/v1/goals', { json: { title: 'Ada’s' } });
    const [refused, stranger, made] = [await entryOf(failed), await entryOf(unknown), await entryOf(own)];
    assert.deepEqual(
      [refused.type, refused.after, refused.actor.type],
      ['sign_in', { refused: 'sign_in_failed', user_id: ada.user.id }, 'unknown'],
    );
    assert.deepEqual(stranger.after, { refused: 'sign_in_failed', user_id: null });
    assert.deepEqual([made.actor, made.credential?.type], [{ type: 'person', id: ada.user.id }, 'session']);
    const [session] = await listed('action=signIn&object_type=session');
    assert.deepEqual(
      [session?.actor, session?.id === made.credential?.id, session?.after?.secret_sha256],
      [{ type: 'person', id: ada.user.id }, true, { masked: true }],
    );
    const stored = await atrium.rows(`select entry::text from audit_entries`);
    assert.doesNotMatch(JSON.stringify(stored), /mypassword|Tr0ub4dor/);
  });

  test('an identity provider is named by its secret', async () => {
    const answer = await fetch(`${atrium.url}/scim/v2/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.northwind.scim_secret}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: 'audited@northwind.example',
        name: { givenName: 'Audrey', familyName: 'Ted' },
        active: true,
      }),
    });
    assert.equal(answer.status, 201);
    const entry = await entryOf(answer);
    assert.deepEqual(
      [entry.action, entry.actor.type, entry.credential?.type],
      ['scimCreateUser', 'provisioning', 'scim'],
    );
    assert.deepEqual([entry.type, entry.after?.email, entry.after?.kind], ['user', { masked: true }, 'person']);
    assert.doesNotMatch(JSON.stringify(entry), /audited@|Audrey|Ted/);
  });

  test('keys, scopes and roles are in it, and no secret of theirs', async () => {
    const made = await atrium.call('POST', '/v1/admin/apps/2/keys', {
      json: { name: 'Sync', scopes: ['pages.*.read'] },
    });
    const key = made.body.data;
    const revoked = await atrium.call('DELETE', `/v1/admin/keys/${key.id}`);
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body));
    const [created, ended] = [await entryOf(made), await entryOf(revoked)];
    assert.deepEqual(
      [created.type, created.after?.scopes, created.after?.token_sha256],
      ['api_key', ['pages.*.read'], { masked: true }],
    );
    assert.deepEqual(Object.keys(ended.after ?? {}), ['revoked_at']);
    assert.ok(!JSON.stringify([created, ended]).includes(key.api_key));
  });
});

describe('the list', () => {
  test('is newest first and exact, by page, person, app, action, object, credential and time', async () => {
    const all = await atrium.call('GET', '/v1/audit?take=500');
    const entries = all.body.data as Told[];
    const { total_records } = all.body.meta.pagination;
    assert.deepEqual([total_records, all.body.meta.head.hash], [entries.length, entries[0]?.hash]);
    assert.deepEqual(
      entries.map(({ sequence }) => sequence),
      entries.map((_, n) => total_records - n),
    );
    const third = await atrium.call('GET', '/v1/audit?skip=2&take=1');
    assert.deepEqual(third.body.data, [entries[2]]);
    const person = entries.find(({ actor }) => actor.type === 'person')?.actor.id as number;
    const moment = entries[3]?.at ?? '';
    const filters: [string, (entry: Told) => boolean][] = [
      [`actor_id=${person}`, ({ actor }) => actor.type === 'person' && actor.id === person],
      [`app_id=${own.app_id}`, ({ actor }) => actor.type === 'app' && actor.id === own.app_id],
      ['action=createGoal', ({ action }) => action === 'createGoal'],
      ['object_type=goal', ({ type }) => type === 'goal'],
      [
        `credential_type=key&credential_id=${own.id}`,
        ({ credential }) => credential?.type === 'key' && credential.id === own.id,
      ],
      [`from=${moment}`, ({ at }) => at >= moment],
      [`to=${moment}`, ({ at }) => at < moment],
    ];
    for (const [query, matches] of filters) {
      const expected = entries.filter(matches);
      const found = await atrium.call('GET', `/v1/audit?take=500&${query}`);
      assert.ok(expected.length > 0, query);
      assert.deepEqual(found.body.data, expected, query);
      assert.equal(found.body.meta.pagination.total_records, expected.length);
    }
  });

  test('is for administrators and for keys with its scope, each of their own organisation', async () => {
    const ben = await signIn(atrium, BEN);
    assert.equal((await ben.call('GET', '/v1/audit')).status, 403);
    const reader = await atrium.keyWith(['admin.audit.read']);
    assert.equal((await atrium.call('GET', '/v1/audit', { key: reader })).status, 200);
    assert.equal((await atrium.call('GET', '/v1/siem/0/1', { key: reader })).status, 403);
    const other = await atrium.call('GET', '/v1/audit?take=500', {
      key: world.contoso.api_key,
      service_id: world.contoso.organisation_id,
    });
    assert.deepEqual(
      [...new Set(other.body.data.map((entry: Told) => entry.organisation_id))],
      [world.contoso.organisation_id],
    );
  });
});

describe('the chain', async () => {
  const lines = async () => (await downloaded('format=jsonl')).text.trim().split('\n');

  test('is verified from the exported file alone; its last hash is the head that the list tells', async () => {
    const file = await lines();
    const { body } = await atrium.call('GET', '/v1/audit?take=1');
    const verdict = await verify(file, body.meta.head.hash);
    assert.deepEqual(verdict, {
      organisation_id,
      ...{ entries: file.length - 1, from_sequence: 1, to_sequence: file.length - 1 },
      head_hash: body.meta.head.hash,
    });
    assert.equal(body.data[0].action, 'exportAudit');
  });

  test('each of 1,000 edits, removals, insertions and swaps is found, and each tail that was cut', async () => {
    const file = await lines();
    const random = randomOf(20261122);
    const below = (n: number) => Math.floor(random.next() * n);
    const other = (n: number) => (n + 1 + below(file.length - 1)) % file.length;
    const damages: ((n: number, copy: string[]) => void)[] = [
      (n, copy) => {
        copy[n] = edited(copy[n] as string, below(1000));
      },
      (n, copy) => copy.splice(n, 1),
      (n, copy) => copy.splice(n, 0, copy[other(n)] as string),
      (n, copy) => {
        const m = other(n);
        [copy[n], copy[m]] = [copy[m] as string, copy[n] as string];
      },
    ];
    for (const damage of damages)
      for (let round = 0; round < 1000; round++) {
        const copy = [...file];
        const n = below(file.length);
        damage(n, copy);
        assert.notDeepEqual(copy, file);
        assert.ok((await verify(copy)).problem, `${damages.indexOf(damage)}: line ${n} of ${file.length}`);
      }
    const { hash: head } = JSON.parse(file.at(-2) ?? '');
    const short = file.slice(0, -3);
    assert.match((await verify(short)).problem ?? '', /no seal/);
    assert.match((await verify(file, 'f'.repeat(64))).problem ?? '', /does not have the hash/);
    assert.equal((await verify(file, head)).problem, undefined);
  });

  test('a filtered export is not taken for a whole one', async () => {
    const { text } = await downloaded('action=createGoal');
    assert.ok((await verify(text.trim().split('\n'))).problem);
  });

  test('has one order whoever writes at the same time, on however many nodes', async () => {
    const second = await atrium.secondNode();
    const writes = Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? second : atrium).call('POST', '/v1/goals', { json: { title: `Goal ${n}` } }),
    );
    const reads = Array.from({ length: 10 }, (_, n) => (n % 2 ? second : atrium).call('GET', '/v1/audit?take=1'));
    const made = (await Promise.all([...writes, ...reads])).slice(0, 40);
    assert.equal((await verify(await lines())).problem, undefined);
    for (const reply of made) assert.equal((await entryOf(reply)).action, 'createGoal');
  });
});

/** Some character of a value other than it was. */
function edited(line: string, seed: number): string {
  const value = JSON.parse(line);
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: Record<string, unknown>) => {
    for (const [name, inner] of Object.entries(node))
      if (inner !== null && typeof inner === 'object') walk(inner as Record<string, unknown>);
      else places.push([node, name]);
  };
  walk(value);
  const [node, name] = places[seed % places.length] as [Record<string, unknown>, string];
  const was = node[name];
  node[name] = typeof was === 'number' ? was + 1 : typeof was === 'boolean' ? !was : was === null ? 0 : `${was} `;
  return JSON.stringify(value);
}

describe('exports', () => {
  test('as CSV: one line an entry, and nothing that a spreadsheet takes for a formula', async () => {
    const user_agent = '=HYPERLINK("http://x","y"),';
    const reply = await atrium.call('POST', '/v1/goals', {
      json: { title: 'a' },
      headers: { 'user-agent': user_agent },
    });
    const { type, text } = await downloaded(`format=csv&request_id=${idOf(reply)}`);
    assert.equal(type, 'text/csv; charset=utf-8');
    const [head, line, end] = text.split('\r\n');
    assert.deepEqual([head?.split(',').slice(0, 3), end], [['sequence', 'at', 'action'], '']);
    assert.match(line ?? '', /,"'=HYPERLINK\(""http:\/\/x"",""y""\),"/);
  });

  test('as OCSF: classes and activities of that schema, for each entry', async () => {
    const { text } = await downloaded('format=ocsf');
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const one of events) {
      assert.equal(one.type_uid, one.class_uid * 100 + one.activity_id);
      assert.equal(one.category_uid, Math.floor(one.class_uid / 1000));
      for (const name of ['metadata', 'time', 'severity_id', 'actor', 'api', 'src_endpoint'])
        assert.ok(name in one, name);
      if (one.class_uid === 3001 || one.class_uid === 3002) assert.ok(one.user, JSON.stringify(one));
    }
    const failed = events.find(({ class_uid, status_id }) => class_uid === 3002 && status_id === 2);
    assert.equal(failed.api.operation, 'signIn');
  });

  test('a client that stops reading ends the export, and the connection of the database is free', async () => {
    const aborted = new AbortController();
    const answer = await fetch(`${atrium.url}/v1/audit/export`, { headers, signal: aborted.signal });
    aborted.abort();
    await assert.rejects(answer.text());
    assert.equal((await atrium.call('GET', '/v1/audit?take=1')).status, 200);
  });
});

describe('for security exporters', () => {
  const now = () => Math.floor(atrium.clock.micros() / 1e6);
  test('what happened between two moments, oldest first, with the person’s address', async () => {
    await signIn(atrium, BEN, PASSWORD);
    const { status, body } = await atrium.call('GET', `/v1/siem/${now() - 3600}/${now() + 1}`);
    assert.equal(status, 200);
    const signed = body.data.findLast(({ event }: { event: string }) => event === 'signIn');
    assert.deepEqual(Object.keys(signed).sort(), [
      ...['created_at', 'created_at_timestamp', 'event', 'id', 'ip_address', 'note', 'service_id', 'user_agent'],
      'user_email',
    ]);
    assert.deepEqual([signed.user_email, signed.service_id], [BEN, organisation_id]);
    assert.equal(signed.created_at_timestamp, Math.floor(Date.parse(signed.created_at) / 1000));
    const { body: list } = await atrium.call('GET', '/v1/audit?take=1');
    assert.equal(body.data.length, list.meta.head.sequence);
    const times = body.data.map(({ created_at }: { created_at: string }) => created_at);
    assert.deepEqual(times, times.toSorted());
    const failed = body.data.find(({ note }: { note: string }) => note.includes('sign_in_failed'));
    assert.equal(failed.user_email, ADA);
  });
  test('at most 31 days, and not backwards', async () => {
    const statuses = [`0/${31 * 86_400 + 1}`, '10/9', 'a/b'].map((span) => atrium.call('GET', `/v1/siem/${span}`));
    assert.deepEqual(
      (await Promise.all(statuses)).map(({ status }) => status),
      [400, 400, 400],
    );
    assert.deepEqual((await atrium.call('GET', `/v1/siem/0/${31 * 86_400}`)).body.data, []);
  });
});

test('what is older than the setting goes, once a day; the rest is still verified, and says what went', async () => {
  const keeping = await startAtrium({ audit_days: 30 });
  const list = async () => (await keeping.call('GET', '/v1/audit?take=500')).body;
  const exportLines = async () => {
    const answer = await fetch(`${keeping.url}/v1/audit/export`, { headers });
    return (await answer.text()).trim().split('\n');
  };
  for (const title of ['One', 'Two']) await keeping.call('POST', '/v1/goals', { json: { title } });
  const { meta } = await list();
  keeping.clock.advance(30.5 * 86_400_000);
  await keeping.call('POST', '/v1/goals', { json: { title: 'Late' } });
  await keeping.drain();
  assert.equal((await list()).data.at(-1).sequence, 1);
  keeping.clock.advance(86_400_000);
  await keeping.drain();
  const { data, meta: kept } = await list();
  const checkpoint = data.find(({ type }: Told) => type === 'audit_checkpoint');
  assert.deepEqual(checkpoint.after, { through_sequence: meta.head.sequence, hash: meta.head.hash, days: 30 });
  assert.equal(data.at(-1).sequence, meta.head.sequence + 1);
  assert.equal(kept.pagination.total_records, data.length);
  const lines = await exportLines();
  const verdict = await verify(lines);
  assert.deepEqual([verdict.problem, verdict.from_sequence], [undefined, meta.head.sequence + 1]);
  const { seal } = JSON.parse(lines.at(-1) ?? '');
  const forged = hashed({ seal: { ...seal, from_sequence: seal.from_sequence + 1, entries: seal.entries - 1 } });
  assert.match((await verify([...lines.slice(1, -1), JSON.stringify(forged)])).problem ?? '', /no entry says/);
  // The export is the newest.
  const second = await keeping.call('GET', '/v1/audit?skip=2&take=1');
  assert.deepEqual(second.body.data, [data[1]]);
});

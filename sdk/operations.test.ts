// Every operation of the interface through the client, with its own example: nothing of it is lost or misread.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, namesIn } from '../server/kernel/contract/contract.ts';
import { routes } from '../server/modules.ts';
import { appJwt } from '../server/testing/app-jwt.ts';
import { startAtrium, world } from '../server/testing/atrium.ts';
import { PASSWORD } from '../server/testing/world.ts';
import { AtriumError, type ClientOptions, createClient, signIn } from './client.js';
import { operations } from './operations.js';

const atrium = await startAtrium();
const { organisation_id, api_key, scim_secret } = world.northwind;
const given: ClientOptions = { baseUrl: atrium.url, organisationId: organisation_id, retries: 0 };
const person = () => signIn({ email: 'ada.okafor@northwind.example', password: PASSWORD }, given);
const ada = await person();
const app = createClient({ ...given, apiKey: api_key, scimSecret: scim_secret });
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/eL9GtQAAAABJRU5ErkJggg==',
  'base64',
);
const picture = { content: png, file_name: 'portrait.png', content_type: 'image/png' };

type Method = (request?: object) => Promise<{ meta?: { warnings?: string[] } } | string>;
const endpoints = routes.flatMap(({ family }) => Object.entries(family.endpoints as Record<string, Endpoint>));
const told = endpoints.map(([operation, { method, path }]) => `${operation}: ${method} ${path}`);
/** What one example takes away, another cannot read. */
const rank = ({ method, actors }: Endpoint) =>
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(actors === 'app' ? 'GET' : method);
const takingLast = endpoints.toSorted(([, a], [, b]) => rank(a) - rank(b));

function requestOf({ path, example, body }: Endpoint): object {
  const params = namesIn(path).map((name) => [name, example.params?.[name]]);
  const fields = Object.entries(example.body ?? {}).map(([name, value]) => [name, file(value)]);
  return { ...example.query, ...Object.fromEntries(params), ...(body ? { body: Object.fromEntries(fields) } : {}) };
}
const file = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(file) : String(value).startsWith('file:') ? picture : value;

test('the client has exactly the operations that there are', () => {
  const declared = Object.entries(operations).map(([operation, line]) => {
    const [method, path] = String(line).split(' ');
    return `${operation}: ${method} ${path}`;
  });
  assert.deepEqual(declared.filter((line) => !line.includes(' /scim/')).sort(), told.sort());
  assert.deepEqual(Object.keys(app).sort(), Object.keys(operations).sort());
});

test('people are provisioned with the secret of SCIM, which nothing else is sent', async () => {
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
  const created = await app.scimCreateUser({ body: { schemas, userName: 'sdk@northwind.example', active: true } });
  const { id = '' } = created;
  const patch = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] };
  const Operations = [{ op: 'replace', path: 'active', value: false }];
  const left = await app.scimPatchUser({ id, body: { ...patch, Operations } });
  assert.equal(left.active, false);
  const found = await app.scimGetUsers({ filter: 'userName eq "sdk@northwind.example"' });
  assert.equal(found.totalResults, 1);
  const refused = await app.scimGetUser({ id: '999999' }).catch((error) => error);
  assert.deepEqual([refused.name, refused.status], ['AtriumError', 404]);
});

test('every example of an operation is understood, whatever there is of what it names', async () => {
  let done = 0;
  for (const [operation, endpoint] of takingLast) {
    const client = endpoint.actors === 'app' ? await byJwt() : endpoint.actors ? ada : app;
    // Sessions end with their examples.
    if (/^(signOut|endSession|changePassword)$/.test(operation)) continue;
    const call = (client as unknown as Record<string, Method>)[operation] as Method;
    const answer = await call(requestOf(endpoint)).catch((error) => error);
    if (answer instanceof AtriumError) {
      const about = `${operation}: ${answer.status} ${answer.message}`;
      assert.ok([403, 404, 409, 410].includes(answer.status), about);
      assert.ok(!/^http_|method_not_allowed/.test(answer.code), about);
      continue;
    }
    assert.ok(!(answer instanceof Error), `${operation}: ${answer}`);
    if (typeof answer !== 'string') assert.doesNotMatch(String(answer.meta?.warnings), /unknown|ignored/i, operation);
    done++;
  }
  assert.ok(done > 0.75 * endpoints.length, `${done} of ${endpoints.length}`);
});

async function byJwt() {
  const { 'x-service-jwt': jwt, 'x-service-jwt-keyid': jwtKeyId } = await appJwt(atrium);
  return createClient({ ...given, jwt, jwtKeyId });
}

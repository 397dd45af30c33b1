// RFC 7644 3.7: many operations in one request, each with its own outcome. One that refers to a bulkId waits until that
// resource has been made; what is left when nothing moves any more refers in a circle, or to what failed.
import type { ScimAnswer, ScimCall, ScimEndpoint, ScimHandler } from './call.ts';
import { isObject } from './document.ts';
import { asScimError, refuse, ScimError } from './errors.ts';
import { GuardPause } from './guard.ts';

export const BULK_OPERATIONS_MAX = 1000;

type BulkOperation = ReturnType<typeof readOperations>[number];

/** `endpoints` are those that an operation may name. */
export const bulkOf =
  (endpoints: readonly ScimEndpoint[]): ScimHandler =>
  async (call) => {
    const body = isObject(call.body) ? call.body : refuse('invalidSyntax', 'The body must be a bulk request.');
    const operations = readOperations(body.Operations ?? body.operations);
    const errors_max = Number(body.failOnErrors) > 0 ? Number(body.failOnErrors) : Number.POSITIVE_INFINITY;
    const made = new Map<string, string>();
    const results = new Map<BulkOperation, object>();
    let failed = 0;
    let waiting = operations;
    while (waiting.length > 0 && failed < errors_max) {
      const ready = waiting.filter((each) => isReady(each, made));
      // Nothing can become ready any more: each of the rest is run as it is, and refused for the reference.
      const turn = ready.length > 0 ? ready : waiting;
      for (const each of turn) {
        if (failed >= errors_max) break;
        const { result, id } = await run(call, endpoints, each, made);
        if (id !== undefined && each.bulkId !== undefined) made.set(each.bulkId, id);
        if ('response' in result) failed++;
        results.set(each, result);
      }
      waiting = waiting.filter((each) => !turn.includes(each));
    }
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'];
    const Operations = operations.flatMap((each) => results.get(each) ?? []);
    return { status: 200, body: JSON.stringify({ schemas, Operations }) };
  };

function readOperations(given: unknown) {
  if (!Array.isArray(given)) return refuse('invalidSyntax', 'The body needs a list of Operations.');
  if (given.length > BULK_OPERATIONS_MAX)
    throw new ScimError(413, undefined, `At most ${BULK_OPERATIONS_MAX} operations at once.`);
  return given.map((each) => {
    if (!isObject(each)) return refuse('invalidSyntax', 'A bulk operation must be an object.');
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    const method = String(each.method).toUpperCase();
    const bulkId = text(each.bulkId);
    const path = text(each.path) ?? refuse('invalidSyntax', 'A bulk operation needs a path.');
    if (method === 'POST' && bulkId === undefined)
      refuse('invalidSyntax', 'A POST within a bulk request needs a bulkId.');
    return { method, bulkId, path, version: text(each.version), data: each.data };
  });
}

async function run(
  call: ScimCall,
  endpoints: readonly ScimEndpoint[],
  { method, bulkId, path, version, data }: BulkOperation,
  made: ReadonlyMap<string, string>,
): Promise<{ id?: string | undefined; result: object }> {
  const log = (outcome: ScimAnswer | ScimError) =>
    call.operations.push({ method, path, query: {}, body: data, outcome });
  const idOf = (bulkId: string) => made.get(bulkId) ?? refuseReference(bulkId);
  let location: string | undefined;
  try {
    const [, list = '', id = ''] = /^(\/[A-Za-z]+)(?:\/([^/?]+))?$/.exec(resolved(path, idOf) as string) ?? [];
    if (id !== '') location = `${call.root}${list}/${id}`;
    const endpoint =
      endpoints.find((each) => each.method === method && each.path === (id === '' ? list : `${list}/{id}`)) ??
      refuse('invalidSyntax', `${method} ${path.slice(0, 200)} is no operation of a bulk request.`);
    const body = resolved(data, idOf);
    const one = { ...call, method, id, body, query: {}, ifMatch: version, ifNoneMatch: undefined };
    const answer = await endpoint.handler(one);
    log(answer);
    const { status, headers = {}, resource } = answer;
    location = headers.location ?? location;
    const result = { method, bulkId, location, version: headers.etag, status: String(status) };
    return { id: resource && String(resource.id), result };
  } catch (error) {
    // What holds the whole run back, and faults of ours, end the request.
    const refused = asScimError(error);
    if (refused) log(refused);
    if (!refused || refused instanceof GuardPause) throw error;
    return { result: { method, bulkId, location, status: String(refused.status), response: refused.body } };
  }
}

/** The value with ids where it refers to a bulkId. */
function resolved(value: unknown, idOf: (bulkId: string) => string): unknown {
  if (typeof value === 'string') return value.replace(/(?<=^|\/)bulkId:([^/]+)/g, (_, bulkId) => idOf(bulkId));
  if (Array.isArray(value)) return value.map((each) => resolved(each, idOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner, idOf)]));
}
function isReady({ path, data }: BulkOperation, made: ReadonlyMap<string, string>): boolean {
  const named: string[] = [];
  resolved([path, data], (bulkId) => {
    named.push(bulkId);
    return bulkId;
  });
  return named.every((bulkId) => made.has(bulkId));
}
function refuseReference(bulkId: string): never {
  throw new ScimError(409, 'invalidValue', `The bulkId "${bulkId}" names nothing that could be made before.`);
}

// RFC 7644 3.7: many operations in one request, each with its own outcome. An operation that refers to a bulkId waits until
// that resource has been made; what is left when nothing moves any more refers in a circle, or to what failed.
import type { ScimAnswer, ScimCall, ScimHandler } from './call.ts';
import { isObject } from './document.ts';
import { asScimError, bad, ScimError } from './errors.ts';
import { createGroup, deleteGroup, patchGroup, replaceGroup } from './groups.ts';
import { GuardPause } from './guard.ts';
import { BULK_RESPONSE } from './schemas.ts';
import { createUser, deleteUser, patchUser, replaceUser } from './users.ts';

export const BULK_OPERATIONS_MAX = 1000;

interface BulkOperation {
  readonly method: string;
  readonly bulkId: string | undefined;
  readonly path: string;
  readonly version: string | undefined;
  readonly data: unknown;
}
const handlers: Readonly<Record<string, ScimHandler>> = {
  'POST /Users': createUser,
  'PUT /Users/': replaceUser,
  'PATCH /Users/': patchUser,
  'DELETE /Users/': deleteUser,
  'POST /Groups': createGroup,
  'PUT /Groups/': replaceGroup,
  'PATCH /Groups/': patchGroup,
  'DELETE /Groups/': deleteGroup,
};

export const bulk: ScimHandler = async (call) => {
  const body = isObject(call.body) ? call.body : bad('invalidSyntax', 'The body must be a bulk request.');
  const given = body.Operations ?? body.operations;
  if (!Array.isArray(given)) return bad('invalidSyntax', 'The body needs a list of Operations.');
  if (given.length > BULK_OPERATIONS_MAX)
    throw new ScimError(413, undefined, `At most ${BULK_OPERATIONS_MAX} operations at once.`);
  const operations = given.map(readOperation);
  const errors_max = Number(body.failOnErrors) > 0 ? Number(body.failOnErrors) : Number.POSITIVE_INFINITY;
  const made = new Map<string, string>();
  const results = new Map<BulkOperation, object>();
  let failed = 0;
  let waiting = operations;
  while (waiting.length > 0 && failed < errors_max) {
    const ready = waiting.filter((each) => bulkIdsIn([each.path, each.data]).every((bulkId) => made.has(bulkId)));
    // Nothing can become ready any more: each of the rest is run as it is, and refused for the reference.
    const turn = ready.length > 0 ? ready : waiting;
    for (const each of turn) {
      if (failed >= errors_max) break;
      const { result, id } = await outcome(call, each, made);
      if (id !== undefined && each.bulkId !== undefined) made.set(each.bulkId, id);
      if ('response' in result) failed++;
      results.set(each, result);
    }
    waiting = waiting.filter((each) => !results.has(each) && !turn.includes(each));
  }
  return {
    status: 200,
    body: JSON.stringify({
      schemas: [BULK_RESPONSE],
      Operations: operations.flatMap((each) => results.get(each) ?? []),
    }),
  };
};

function readOperation(given: unknown): BulkOperation {
  if (!isObject(given)) return bad('invalidSyntax', 'A bulk operation must be an object.');
  const method = String(given.method).toUpperCase();
  const bulkId = typeof given.bulkId === 'string' ? given.bulkId : undefined;
  if (typeof given.path !== 'string') return bad('invalidSyntax', 'A bulk operation needs a path.');
  if (method === 'POST' && bulkId === undefined) bad('invalidSyntax', 'A POST within a bulk request needs a bulkId.');
  return {
    method,
    bulkId,
    path: given.path,
    version: typeof given.version === 'string' ? given.version : undefined,
    data: given.data,
  };
}

async function outcome(
  call: ScimCall,
  { method, bulkId, path, version, data }: BulkOperation,
  made: ReadonlyMap<string, string>,
) {
  const done = (outcome: ScimAnswer | ScimError) => call.done.push({ method, path, body: data, outcome });
  const named = { method, ...(bulkId === undefined ? {} : { bulkId }) };
  let location: string | undefined;
  try {
    const [, collection = '', id = ''] = /^(\/[A-Za-z]+)(?:\/([^/?]+))?$/.exec(resolved(path, made)) ?? [];
    if (id !== '') location = `${call.root}${collection}/${id}`;
    const handler = handlers[`${method} ${collection}${id === '' ? '' : '/'}`];
    if (!handler) return bad('invalidSyntax', `${method} ${path.slice(0, 200)} is no operation of a bulk request.`);
    const body = resolved(data, made);
    const answer: ScimAnswer = await handler({
      ...call,
      id,
      body,
      query: {},
      isPatch: method === 'PATCH',
      ifMatch: version,
      ifNoneMatch: undefined,
    });
    done(answer);
    location = answer.headers?.location ?? location;
    const etag = answer.headers?.etag;
    return {
      id: answer.resource && String(answer.resource.id),
      result: {
        ...named,
        ...(location ? { location } : {}),
        ...(etag ? { version: etag } : {}),
        status: String(answer.status),
      },
    };
  } catch (error) {
    // What holds the whole run back, and faults of ours, end the request.
    const refused = asScimError(error);
    if (refused) done(refused);
    if (!refused || refused instanceof GuardPause) throw error;
    return {
      id: undefined,
      result: { ...named, ...(location ? { location } : {}), status: String(refused.status), response: refused.body },
    };
  }
}

const REFERENCE = /^bulkId:(.+)$/;
function bulkIdsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split('/').flatMap((part) => REFERENCE.exec(part)?.[1] ?? []);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(bulkIdsIn);
  return [];
}

function resolved<Value>(value: Value, made: ReadonlyMap<string, string>): Value {
  const replace = (each: unknown): unknown => {
    if (typeof each === 'string')
      return each
        .split('/')
        .map((part) => {
          const bulkId = REFERENCE.exec(part)?.[1];
          if (bulkId === undefined) return part;
          return made.get(bulkId) ?? refuseReference(bulkId);
        })
        .join('/');
    if (Array.isArray(each)) return each.map(replace);
    return isObject(each)
      ? Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, replace(inner)]))
      : each;
  };
  return replace(value) as Value;
}
const refuseReference = (bulkId: string): never => {
  throw new ScimError(409, 'invalidValue', `The bulkId "${bulkId}" names nothing that could be made before.`);
};

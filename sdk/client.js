import { connect } from './connection.js';
import { operations } from './operations.js';

export { AtriumError } from './errors.js';

/** Not a property of the client, so that neither `inspect` nor a logger comes across it. */
const connections = new WeakMap();

/** A client with a method for every operation, called by its operationId. */
export function createClient(options) {
  const connection = connect(options);
  const methods = Object.entries(operations).map(([operation, declared]) => [
    operation,
    (request, settings) => connection.call(operation, declared, request, settings),
  ]);
  const client = Object.freeze(Object.fromEntries(methods));
  connections.set(client, connection);
  return client;
}

export function connectionOf(client) {
  const connection = connections.get(client);
  if (!connection) throw new TypeError('This is not what createClient() returned.');
  return connection;
}

/** A client in the name of a person who signs in with e-mail and password. */
export async function signIn({ email, password }, options) {
  let cookie;
  const send = options.fetch ?? globalThis.fetch;
  const visitor = createClient({
    ...options,
    session: {},
    async fetch(url, init) {
      const response = await send(url, init);
      // Browsers keep cookies to themselves, and send them along.
      const cookies = response.headers.getSetCookie?.() ?? [];
      if (cookies.length > 0) cookie = cookies.map((each) => each.split(';', 1)[0]).join('; ');
      return response;
    },
  });
  const { data } = await visitor.signIn({ body: { email, password } });
  return createClient({ ...options, session: { cookie, csrfToken: data.csrf_token } });
}

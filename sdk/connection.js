// One way to one organisation: credentials, attempts, time limits. Credentials stay in this closure: nothing that is
// handed out, logged or thrown refers to them.
import { encoded } from './encoding.js';
import { AtriumError, refusalOf } from './errors.js';
import { fetchCounted } from './progress.js';

const TIMEOUT_MS = 30_000;
const RETRIES = 3;
const PAUSE_MS = 300;
/** Whoever asks for a longer pause is not waited for: the caller is told. */
const PAUSE_MS_MAX = 60_000;

export function connect(options) {
  const { baseUrl, fetch: send = globalThis.fetch, retries = RETRIES, timeoutMs, wait = pause } = options;
  const base = baseOf(baseUrl);
  const headersFor = credentialsOf(options);

  /** Answers the envelope as it was sent; throws an AtriumError, or the reason of the signal. */
  async function call(operation, declared, request, settings = {}) {
    const { method, path, body, type, hasFiles } = encoded(operation, declared, request);
    const isScim = path.startsWith('/scim/');
    const headers = {
      accept: isScim ? 'application/scim+json' : 'application/json',
      ...(type ? { 'content-type': type } : {}),
      ...settings.headers,
    };
    const limit = settings.timeoutMs ?? timeoutMs ?? (hasFiles ? 0 : TIMEOUT_MS);
    const { signal, onProgress, retries: most = retries } = settings;
    // That no answer came does not say that a write failed: only reads are tried again.
    const attempts = method === 'GET' ? most + 1 : 1;
    return repeated(attempts, wait, signal, () =>
      within(limit, signal, { operation, method }, async (ends) => {
        const own = { ...headers, ...(await headersFor(method, isScim)) };
        const init = { method, headers: own, body, signal: ends, redirect: 'error', credentials: credentials(options) };
        const target = base + path;
        const response =
          onProgress && body ? await fetchCounted(send, target, init, onProgress) : await send(target, init);
        const answer = await read(response);
        if (!response.ok) throw refusalOf(operation, method, response, answer);
        return answer;
      }),
    );
  }
  return { base, call, fetch: send, wait, retries, headersFor: () => headersFor('GET', false) };
}

const credentials = ({ session }) => (session ? 'include' : 'omit');

function baseOf(baseUrl) {
  const url = new URL(baseUrl);
  if (url.username || url.password) throw new TypeError('baseUrl must not carry a password.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** What each request carries; a function gives a fresh credential for every attempt, as a JWT with a jti needs it. */
function credentialsOf({ organisationId, apiKey, jwt, jwtKeyId, session, scimSecret }) {
  const given = (value) => (typeof value === 'function' ? value() : value);
  const organisation = organisationId === undefined ? {} : { 'service-id': String(organisationId) };
  return async (method, isScim) => {
    if (isScim) return { authorization: `Bearer ${await given(scimSecret ?? apiKey)}` };
    if (apiKey) return { ...organisation, authorization: `Bearer ${await given(apiKey)}` };
    if (jwt) {
      const signed = { 'x-service-jwt': await given(jwt), 'x-service-jwt-keyid': jwtKeyId };
      return { ...organisation, ...signed };
    }
    const { cookie, csrfToken } = session ?? {};
    const token = method === 'GET' || !csrfToken ? {} : { 'x-csrf-token': csrfToken };
    return { ...organisation, ...(cookie ? { cookie } : {}), ...token };
  };
}

async function read(response) {
  const text = await response.text();
  if (!/json/.test(response.headers.get('content-type') ?? '')) return text === '' ? undefined : text;
  return JSON.parse(text);
}

/** Runs with a signal that ends it in time; every failure that is not an answer becomes an AtriumError of status 0. */
async function within(ms, signal, about, run) {
  const controller = new AbortController();
  const { operation } = about;
  const stop = () => controller.abort(signal.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stop);
  const message = `${operation} was not answered within ${ms} ms.`;
  const late =
    ms > 0 ? setTimeout(() => controller.abort(new AtriumError({ ...about, code: 'timeout', message })), ms) : 0;
  try {
    return await run(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    if (error instanceof AtriumError) throw error;
    throw new AtriumError({
      ...about,
      code: 'unreachable',
      message: `${operation} got no whole answer.`,
      cause: error,
    });
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', stop);
  }
}

const isPassing = (error) =>
  error instanceof AtriumError && (error.status === 0 || error.status === 429 || error.status >= 500);

export async function repeated(attempts, wait, signal, run) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const asked = error.retryAfterMs ?? PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
      if (attempt >= attempts || !isPassing(error) || asked > PAUSE_MS_MAX) throw error;
      await wait(asked, signal);
    }
  }
}

export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

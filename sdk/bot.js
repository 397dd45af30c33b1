// A bot's side of the conversation: callbacks are verified, each message is handed on once, answers go to the API.
//
//   401  the JWT is missing or not genuine      400  the body is no event
//   204  handled                                 502  handling or answering failed, so the callback comes again
import { CallbackRefused, verifyCallback } from './callback.js';

const BODY_BYTES_MAX = 1024 * 1024;
/** Callbacks come at least once, the next perhaps while the last is still being handled; those of late are remembered. */
const REMEMBERED_MAX = 1000;

export function createBotHandler(options) {
  const { onMessage } = options;
  const header = (options.header ?? 'x-service-jwt').toLowerCase();
  const handled = new Map();
  const refused = (error, status) => {
    options.onRefused?.(error, status);
    return status;
  };

  const handle = async (headers, body) => {
    try {
      await verifyCallback([headers[header]].flat()[0], body, options);
    } catch (error) {
      if (error instanceof CallbackRefused) return refused(error, 401);
      throw error;
    }
    const event = eventOf(body);
    if (!event) return refused(new Error('The body is no event.'), 400);
    await once(handled, event.meta?.id, async () =>
      onMessage(event.message, answerIn(event.message.channel_url, options)),
    );
    return 204;
  };
  const answered = (headers, body) => handle(headers, body).catch((error) => refused(error, 502));

  const handler = async (request, response) => {
    const body = await bodyOf(request).catch(() => undefined);
    response.writeHead(body ? await answered(request.headers, body) : 400).end();
  };
  handler.handle = answered;
  handler.fastify = async (app, { path }) => {
    // The signature is over the bytes, so nothing may read them before.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.post(path, async (request, reply) =>
      reply.code(await answered(request.headers, request.body ?? Buffer.alloc(0))).send(),
    );
  };
  return handler;
}

/** What is being handled is waited for, what failed may be handled again. */
function once(handled, id, work) {
  if (id === undefined) return work();
  const known = handled.get(id);
  if (known) return known;
  const working = work();
  handled.set(id, working);
  if (handled.size > REMEMBERED_MAX) handled.delete(handled.keys().next().value);
  return working.catch((error) => {
    handled.delete(id);
    throw error;
  });
}

function eventOf(body) {
  try {
    const event = JSON.parse(Buffer.from(body).toString('utf8'));
    return event.action === 'chat_bot_message_sent' && typeof event.message?.channel_url === 'string'
      ? event
      : undefined;
  } catch {
    return undefined;
  }
}

async function bodyOf(request) {
  if (Buffer.isBuffer(request.body)) return request.body;
  if (typeof request.body === 'string') return Buffer.from(request.body);
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function answerIn(channel_url, { baseUrl, apiUrl = baseUrl, botUserId, organisationId, apiKey, fetch: send = fetch }) {
  const base = { bot_userid: botUserId, channel_url };
  const post = async (body, type) => {
    const response = await send(`${apiUrl.replace(/\/+$/, '')}/v1/chat/bots/message`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        'service-id': String(organisationId),
        ...(type ? { 'content-type': type } : {}),
      },
      body,
    });
    const reply = await response.json();
    if (!response.ok) throw new Error(`The answer was refused: ${response.status} ${reply.message}`);
  };
  const json = (fields) => post(JSON.stringify({ ...base, ...fields }), 'application/json');
  return {
    text: (message, sending = {}) => json({ type: 'message', message, ...sending }),
    quickReplies: (message, replies, sending = {}) => json({ type: 'quick_reply', message, replies, ...sending }),
    cards: (cards, sending = {}) => json({ type: 'card', cards, ...sending }),
    file(type, file, file_name, message) {
      const form = new FormData();
      for (const [name, value] of Object.entries({ ...base, type, ...(message ? { message } : {}) }))
        form.append(name, value);
      form.append('file', file, file_name);
      return post(form);
    },
  };
}

// Requests that receivers get, as Standard Webhooks has them.
import type { Event } from '../../kernel/delivery/outbox.ts';
import { type Components, pascal } from './components.ts';

const headers = Object.entries({
  'webhook-id': '`meta.id`: the same for every attempt.',
  'webhook-timestamp': 'Unix seconds of the attempt.',
  'webhook-signature':
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several, with spaces between, ' +
    'while a secret is replaced.',
}).map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));

const meta = {
  type: 'object',
  required: ['id', 'attempt', 'timestamp'],
  properties: {
    id: { type: 'string', description: 'The same for every attempt.' },
    attempt: { type: 'integer', minimum: 1 },
    timestamp: { type: 'integer', description: 'Unix seconds.' },
  },
};

export function webhook({ action, summary, payload }: Event, components: Components) {
  const properties = Object.entries(payload).map(([key, schema]) => [key, components.schema(schema)]);
  const schema = {
    type: 'object',
    required: ['action', 'meta', ...Object.keys(payload)],
    properties: {
      action: { const: action },
      ...Object.fromEntries(properties),
      meta: components.put('schemas', ['WebhookMeta'], meta),
    },
  };
  return {
    summary,
    operationId: action,
    parameters: headers.map((header) => components.put('parameters', [pascal(header.name)], header)),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: components.put('schemas', [`${pascal(action)}Event`], schema) },
      },
    },
    responses: { '2XX': components.put('responses', ['Received'], received) },
  };
}
const received = {
  description: 'Received. Anything else, or no answer within five seconds, is tried again up to four times.',
};

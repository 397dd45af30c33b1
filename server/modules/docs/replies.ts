// What an operation answers when it is done: `data` in the envelope, or a document of its own media type.
import type { TSchema } from 'typebox';
import type { Endpoint } from '../../kernel/contract/contract.ts';
import { type Components, pascal, plainSchema } from './components.ts';
import { headersOf } from './headers.ts';
import { sample } from './samples.ts';

type Fields = Record<string, object>;
const fieldsOf = (schema: object | undefined) => (schema as { properties?: Fields } | undefined)?.properties ?? {};
const warnings = {
  type: 'array',
  items: { type: 'string' },
  description: 'Sentences about what had no effect. Only when there is something to say.',
};
const pagination = {
  type: 'object',
  required: ['skip', 'take', 'total_records', 'next_page'],
  properties: {
    skip: { type: 'integer' },
    take: { type: 'integer' },
    total_records: { type: 'integer', description: 'Exact for the filter.' },
    next_page: { type: ['string', 'null'], description: 'Address of the next page; null on the last one.' },
  },
};
const dry_run = {
  type: 'object',
  required: ['status', 'changes', 'cleared', 'events'],
  description: 'Of a request with X-Dry-Run: what it would do.',
  properties: {
    status: { type: 'integer', description: 'Of the real answer.' },
    changes: {
      type: ['array', 'null'],
      description: 'Of the resource; null where the address names none.',
      items: { type: 'object', required: ['path'], properties: { path: { type: 'string' }, before: {}, after: {} } },
    },
    cleared: { type: 'array', items: { type: 'string' }, description: 'Fields that a PUT left out and would clear.' },
    events: {
      type: 'array',
      items: {
        type: 'object',
        required: ['action', 'payload', 'told'],
        properties: {
          action: { type: 'string' },
          payload: { type: 'object' },
          told: {
            type: 'array',
            description: 'Webhook subscriptions.',
            items: {
              type: 'object',
              required: ['webhook_id', 'name'],
              properties: { webhook_id: { type: 'integer' }, name: { type: 'string' } },
            },
          },
        },
      },
    },
  },
};
const paginationExample = { skip: 0, take: 50, total_records: 1, next_page: null };
const inline = (schema: TSchema): object => plainSchema(schema, inline);

function dataOf({ list, reply }: Endpoint, schemaOf: (schema: TSchema) => object) {
  if (list) return { type: 'array', items: schemaOf(list) };
  return reply ? schemaOf(reply) : { type: 'object' };
}

function metaOf({ list, meta }: Endpoint, trial: object): [name: string | undefined, schema: object] {
  const extra = Object.fromEntries(
    Object.entries(fieldsOf(meta)).map(([name, field]) => [name, inline(field as TSchema)]),
  );
  const properties = { warnings, ...extra, ...(list ? { pagination } : meta ? {} : { dry_run: trial }) };
  const schema = { type: 'object', properties, ...(list ? { required: ['pagination'] } : {}) };
  return [meta ? undefined : list ? 'ListMeta' : 'Meta', schema];
}

const envelope = (data: object, endpoint: Endpoint, meta: object) => ({
  type: 'object',
  required: ['data', 'status', 'meta'],
  properties: { data, ...fieldsOf(endpoint.beside), status: { const: 'success' }, meta },
});

/** With everything in place, to check replies against. */
export const replySchema = (endpoint: Endpoint) =>
  envelope(dataOf(endpoint, inline), endpoint, metaOf(endpoint, dry_run)[1]);

export function replyOf(operation: string, endpoint: Endpoint, named: readonly string[], components: Components) {
  const { media, list, reply, beside, meta } = endpoint;
  const { title } = (list ?? reply ?? {}) as { title?: string };
  const ofOperation = pascal(operation) + (list ? 'List' : 'Reply');
  const names = title === undefined ? [ofOperation] : [title + (list ? 'List' : 'Reply'), ofOperation];
  const headers = headersOf(named, components);
  if (media)
    return components.put('responses', [ofOperation], {
      description: 'The document.',
      headers,
      content: { [media]: { schema: { type: 'string' } } },
    });
  const data = sample(list ?? reply ?? { type: 'object' });
  const example = {
    data: list ? [data] : data,
    ...(sample({ type: 'object', properties: fieldsOf(beside) }) as object),
    status: 'success',
    meta: {
      ...(sample({ type: 'object', properties: fieldsOf(meta) }) as object),
      ...(list ? { pagination: paginationExample } : {}),
    },
  };
  const [metaName, metaSchema] = metaOf(endpoint, components.put('schemas', ['DryRun'], dry_run));
  const shownMeta = metaName === undefined ? metaSchema : components.put('schemas', [metaName], metaSchema);
  const shape = envelope(dataOf(endpoint, components.schema), endpoint, shownMeta);
  const schema = components.put('schemas', names, shape);
  return components.put('responses', names, {
    description: 'Done.',
    headers,
    // What a list is of is shown where one of it is read.
    content: { 'application/json': list && title ? { schema } : { schema, example } },
  });
}

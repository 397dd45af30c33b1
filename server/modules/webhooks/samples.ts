import type { TSchema } from 'typebox';
import type { Event } from '../../kernel/delivery/outbox.ts';

interface Node {
  type?: string | string[];
  anyOf?: Node[];
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Record<string, Node>;
  items?: Node;
  format?: string;
  pattern?: string;
  minimum?: number;
  maxLength?: number;
}
const texts: Record<string, string> = {
  'date-time': '2026-01-15T09:30:00.000000Z',
  date: '2026-01-15',
  email: 'emi.tanaka@northwind.example',
  uri: 'https://northwind.example/sample',
  timezone: 'Europe/Berlin',
  language: 'en',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** The payload of an event with made-up content that its schema allows. */
export const sampleOf = ({ payload }: Event): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payload).map(([key, schema]) => [key, sample(schema as Node, key)]));

function sample(schema: Node, name: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf.find(({ type }) => type !== 'null') ?? {}, name);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [key, sample(value, key)]),
      );
    case 'array':
      return schema.items && !isObject(schema.items) ? [sample(schema.items, name)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return false;
    case 'string':
      return texts[schema.format ?? ''] ?? wordsFor(name, schema);
    default:
      return null;
  }
}
const isObject = ({ type }: Node) => type === 'object';
const wordsFor = (name: string, { maxLength = 255, pattern }: Node) =>
  /colou?r/.test(name)
    ? '#0f766e'
    : pattern
      ? '1'
      : `${name.startsWith('html') ? '<p>Sample</p>' : `Sample ${name.replaceAll('_', ' ')}`}`.slice(0, maxLength);

/** JSON Schema of what is sent, without the program's own keywords. */
export function payloadSchema({ action, payload }: Event): Record<string, unknown> {
  const properties = Object.fromEntries(Object.entries(payload).map(([key, schema]) => [key, plain(schema)]));
  const meta = {
    type: 'object',
    required: ['id', 'attempt', 'timestamp'],
    properties: { id: { type: 'string' }, attempt: { type: 'integer' }, timestamp: { type: 'integer' } },
  };
  return {
    type: 'object',
    required: ['action', ...Object.keys(payload), 'meta'],
    properties: { action: { const: action }, ...properties, meta },
  };
}
const plain = (schema: TSchema): unknown =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith('x-') ? undefined : (value as unknown))));

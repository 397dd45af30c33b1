// Values as replies have them, made from their schemas.
interface Node {
  type?: string | string[];
  format?: string;
  pattern?: string;
  anyOf?: Node[];
  properties?: Record<string, Node>;
  required?: readonly string[];
  items?: Node;
  additionalProperties?: Node | boolean;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maxLength?: number;
}

const formats: Record<string, string> = {
  email: 'ada.okafor@northwind.example',
  uri: 'https://northwind.example/1',
  date: '2026-01-15',
  'date-time': '2026-01-15T09:30:00Z',
  language: 'en',
  timezone: 'Europe/Berlin',
};
const words: Record<string, string> = {
  name: 'Ada Okafor',
  first_name: 'Ada',
  last_name: 'Okafor',
  timezone: 'Europe/Berlin',
  language: 'en',
  locale: 'en',
  html: '<p>The new store opens on Monday.</p>',
  html_content: '<p>The new store opens on Monday.</p>',
  text: 'The new store opens on Monday.',
  ip_address: '203.0.113.7',
};

export function sample(schema: object, name = ''): unknown {
  const node = schema as Node;
  if (node.const !== undefined) return node.const;
  if (node.enum) return node.enum[0];
  if (node.default !== undefined) return node.default;
  if (node.anyOf) return null;
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  switch (type) {
    case 'object':
      return Object.fromEntries(shown(node).map(([key, field]) => [key, sample(field, key)]));
    case 'array':
      return node.items && !['array', 'object'].includes(String(node.items.type)) ? [sample(node.items, name)] : [];
    case 'integer':
    case 'number':
      return Math.max(node.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'string':
      return textOf(node, name);
    default:
      return null;
  }
}

/** What is always there; where nothing is, the first two. */
function shown({ properties = {}, required = [] }: Node) {
  const fields = Object.entries(properties);
  return required.length > 0 ? fields.filter(([name]) => required.includes(name)) : fields.slice(0, 2);
}

function textOf({ format, pattern, maxLength = 255 }: Node, name: string): string {
  if (pattern?.includes('0-9a-fA-F')) return '#1d4ed8';
  if (pattern?.includes(':[0-5]')) return '22:00';
  return (formats[format ?? ''] ?? words[name] ?? name.replaceAll('_', ' ')).slice(0, maxLength);
}

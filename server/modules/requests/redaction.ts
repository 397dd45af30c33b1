// What of a request and its answer may be kept: names, numbers, ids, moments and choices. Secrets never, and no text
// about a person; other texts are cut. The contract says which is which; what it does not know is masked.
import type { Endpoint } from '../../kernel/contract/contract.ts';
import { pathOf } from '../../kernel/http/methods.ts';
import { querySchema } from '../../kernel/http/routes.ts';

export const MASK = '•••';
const TEXT_MAX = 200;
/** Of one body: fields and entries. */
const VALUES_MAX = 200;
const PATH_MAX = 500;

const SECRET = /secret|token|password|passcode|api_key|authorization|cookie|jwt|signature|credential|private/i;
const PERSONAL = new RegExp(
  '^(name|first_name|last_name|display_name|email|mail|phone|.*_(email|phone)|direct_dial|job_title|date_of_birth|' +
    'hire_date|avatar_url|timezone|user_agent|ip|ip_address|q|filter|mentions)$',
  'i',
);
/** What people write to each other, and what is written about them. */
const PRIVATE = /^(chats|users|comments|siem|search)\./;

interface Schema {
  type?: unknown;
  format?: string;
  enum?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  writeOnly?: boolean;
}
const plain = (schema: Schema | undefined): Schema | undefined =>
  schema?.anyOf ? plain(schema.anyOf.find(({ type }) => type !== 'null')) : schema;

export const isPrivate = ({ scope }: Pick<Endpoint, 'scope'>) => scope == null || PRIVATE.test(scope);

/** JSON text of what may be kept of a value of this schema. */
export function redacted(value: unknown, schema: object | undefined, hidesTexts: boolean): string {
  let left = VALUES_MAX;
  const text = (given: string, { format, enum: choices }: Schema) => {
    if (choices || format === 'date' || format === 'date-time' || format === 'language') return given;
    if (format === 'uri') return URL.parse(given)?.origin ?? MASK;
    if (hidesTexts || format === 'email') return MASK;
    return given.length <= TEXT_MAX ? given : `${given.slice(0, TEXT_MAX)}… (${given.length} characters)`;
  };
  const walk = (given: unknown, known: Schema | undefined, name: string): unknown => {
    if (--left < 0) return MASK;
    if (given === null || typeof given === 'boolean') return given;
    if (SECRET.test(name) || known?.writeOnly) return MASK;
    if (Array.isArray(given)) return given.slice(0, left).map((one) => walk(one, plain(known?.items), name));
    if (typeof given === 'object') return walkObject(given as Record<string, unknown>, known);
    if (!known || PERSONAL.test(name)) return MASK;
    return typeof given === 'string' ? text(given.slice(0, 10_000), known).toWellFormed() : given;
  };
  const walkObject = (given: Record<string, unknown>, known: Schema | undefined) => {
    if ('bytes' in given) return { file: true, content_type: given.content_type, byte_size: given.byte_size };
    const shown: Record<string, unknown> = {};
    for (const name of Object.keys(given)) {
      if (left <= 0) break;
      const inner = plain(known?.properties?.[name] ?? known?.additionalProperties);
      shown[name.slice(0, 100)] = walk(given[name], inner, name);
    }
    return shown;
  };
  return JSON.stringify(walk(value, plain(schema as Schema | undefined), ''));
}

interface Shown {
  /** Patterns of its path whose values are not shown. */
  readonly path: boolean;
  readonly query: ReadonlySet<string>;
}
const shownOf = new WeakMap<Endpoint, Shown>();
const nameless = (name: string) => !PERSONAL.test(name) && !SECRET.test(name);
function parametersOf(endpoint: Endpoint): Shown {
  const known = shownOf.get(endpoint) ?? {
    path: [...endpoint.path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => nameless(name)),
    query: new Set(Object.keys(querySchema(endpoint).properties).filter(nameless)),
  };
  shownOf.set(endpoint, known);
  return known;
}

/** The path with its query: values of parameters that may be personal, or that nobody knows, are masked. */
export function shownPath(url: string, endpoint: Endpoint | undefined): string {
  if (!endpoint) return pathOf(url).slice(0, PATH_MAX);
  const { path, query } = parametersOf(endpoint);
  const from = url.indexOf('?');
  const own = from < 0 ? url : url.slice(0, from);
  const shown = path ? own : endpoint.path.replaceAll(/\{(\w+)\}/g, MASK);
  if (from < 0) return shown.slice(0, PATH_MAX);
  const pairs = url
    .slice(from + 1)
    .split('&', 50)
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return query.has(name.replace(/(\[|%5B).*$/i, '')) ? pair : `${name.slice(0, 100)}=${MASK}`;
    });
  return `${shown}?${pairs.join('&')}`.slice(0, PATH_MAX);
}

// What a client can notice of an operation, as facts with names, so that two documents can be compared.
//
//   'at'                           'POST /v1/pages'
//   'asks body.title'              'string'          'needs body.title'  ''
//   'asks body.state'              'string one of a b'
//   'answers data.id'              'integer'
//   'refuses name_taken'           '409'

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: Schema | boolean;
  deprecated?: boolean;
  maximum?: number;
  minimum?: number;
  maxLength?: number;
  minLength?: number;
  maxItems?: number;
  pattern?: string;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}
interface Message {
  content?: Record<string, { schema?: Schema }>;
}
interface Operation {
  operationId: string;
  deprecated?: boolean;
  'x-scope'?: string;
  'x-sunset'?: string;
  parameters?: Parameter[];
  requestBody?: Message;
  responses?: Record<string, Message>;
}
export interface ApiDocument {
  paths: Record<string, Record<string, unknown>>;
  components: Record<string, Record<string, unknown>>;
}
export type Facts = ReadonlyMap<string, string>;
/** Limits of what is asked for. */
const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern'] as const;
/** What bounds every whole number that JSON clients read, documents need not say. */
const isLimit = (value: unknown) => value !== undefined && value !== Number.MAX_SAFE_INTEGER;
const DEPTH_MAX = 8;

/** By operationId. */
export function factsOf(document: ApiDocument): Map<string, Facts> {
  const resolved = <T extends object>(part: T & { $ref?: string }): T => {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(part.$ref ?? '') ?? [];
    return part.$ref === undefined ? part : resolved(document.components[kind]?.[name] as T);
  };
  const walk = (facts: Map<string, string>, verb: string, given: Schema, path: string, depth = 0) => {
    const schema = resolved(given);
    for (const part of schema.allOf ?? []) walk(facts, verb, part, path, depth);
    const options = (schema.anyOf ?? schema.oneOf ?? []).map((option) => resolved(option));
    for (const option of options) if (option.type !== 'null') walk(facts, verb, option, path, depth + 1);
    if (depth > DEPTH_MAX) return;
    const isNullable = options.some(({ type }) => type === 'null');
    const { type, enum: choices, format } = schema;
    if (type !== undefined) {
      const said = [
        [type].flat().join(' or '),
        ...(format ? [format] : []),
        ...(choices ? [`one of ${choices.join(' ')}`] : []),
        ...LIMITS.filter((limit) => verb === 'asks' && isLimit(schema[limit])).map((one) => `${one} ${schema[one]}`),
        ...(schema.deprecated ? ['deprecated'] : []),
      ];
      facts.set(`${verb} ${path}`, said.join(', '));
    }
    if (isNullable) facts.set(`${verb} ${path}`, `${facts.get(`${verb} ${path}`) ?? ''} or null`.trim());
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      walk(facts, verb, field, `${path}.${name}`, depth + 1);
    if (verb === 'asks') for (const name of schema.required ?? []) facts.set(`needs ${path}.${name}`, '');
    if (schema.items) walk(facts, verb, schema.items, `${path}[]`, depth + 1);
    if (typeof schema.additionalProperties === 'object')
      walk(facts, verb, schema.additionalProperties, `${path}.*`, depth + 1);
  };
  const codesIn = (schema: Schema | undefined): string[] => {
    const { allOf = [], properties = {} } = schema ? resolved(schema) : {};
    const own = properties.code?.enum?.map(String) ?? [];
    return [...own, ...allOf.flatMap((part) => ('$ref' in part ? [] : codesIn(part)))];
  };

  const found = new Map<string, Facts>();
  for (const [path, { parameters: shared = [], ...methods }] of Object.entries(document.paths)) {
    for (const [method, value] of Object.entries(methods)) {
      const operation = value as Operation;
      const facts = new Map([['at', `${method.toUpperCase()} ${path}`]]);
      if (operation['x-scope']) facts.set('scope', operation['x-scope']);
      if (operation.deprecated) facts.set('deprecated', operation['x-sunset'] ?? '');
      for (const one of [...(shared as Parameter[]), ...(operation.parameters ?? [])].map((each) => resolved(each))) {
        walk(facts, 'asks', one.schema ?? {}, `${one.in}.${one.name}`);
        if (one.required) facts.set(`needs ${one.in}.${one.name}`, '');
      }
      const [content] = Object.values(operation.requestBody ? (resolved(operation.requestBody).content ?? {}) : {});
      if (content?.schema) walk(facts, 'asks', content.schema, 'body');
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        const [answer] = Object.values(resolved(response).content ?? {});
        if (status < '300') facts.set('status', status);
        if (status < '300' && answer?.schema) walk(facts, 'answers', answer.schema, 'answer');
        else for (const code of codesIn(answer?.schema)) facts.set(`refuses ${code}`, status);
      }
      found.set(operation.operationId, facts);
    }
  }
  return found;
}

// The API document as the generators of the sdk read it: references followed, one object an operation.
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
}
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}
type Content = Record<string, { schema: Schema }>;
interface Declared {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
export interface Operation extends Omit<Declared, 'requestBody' | 'responses'> {
  method: string;
  path: string;
  parameters: Parameter[];
  /** The first media type, which is the one that is documented. */
  body?: { media: string; schema: Schema };
  answer?: { media: string; schema: Schema };
}
type Path = Record<string, Declared> & { parameters?: Parameter[] };
export interface ApiDocument {
  paths: Record<string, Path>;
  webhooks: Record<string, { post: Declared }>;
  components: Record<string, Record<string, unknown>>;
}

export function readDocument({ paths, webhooks, components }: ApiDocument) {
  const follow = <T>(given: T): T => {
    const [kind, name] = (given as { $ref?: string }).$ref?.split('/').slice(2) ?? [];
    return kind && name ? follow(components[kind]?.[name] as T) : given;
  };
  const operationOf = (method: string, path: string, { requestBody, responses, ...declared }: Declared): Operation => {
    const done = Object.keys(responses).find((status) => status.startsWith('2')) ?? '';
    const parameters = [...(paths[path]?.parameters ?? []), ...(declared.parameters ?? [])].map(follow);
    return {
      ...declared,
      ...{ method: method.toUpperCase(), path, parameters },
      ...{ body: first(requestBody && follow(requestBody).content), answer: first(follow(responses[done])?.content) },
    };
  };
  return {
    follow,
    schemas: (components.schemas ?? {}) as Record<string, Schema>,
    operations: Object.entries(paths).flatMap(([path, { parameters, ...own }]) =>
      Object.entries(own).map(([method, declared]) => operationOf(method, path, declared as Declared)),
    ),
    events: Object.values(webhooks).map(({ post }) => operationOf('post', '', post)),
  };
}
export type Read = ReturnType<typeof readDocument>;

function first(content: Content | undefined) {
  const [entry] = Object.entries(content ?? {});
  return entry && { media: entry[0], schema: entry[1].schema };
}
/** A file of a form, or one that null takes away. */
export const isFile = ({ format, anyOf = [] }: Schema): boolean => format === 'binary' || anyOf.some(isFile);

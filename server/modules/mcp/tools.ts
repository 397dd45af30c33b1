// Tools are operations of the API: their names, descriptions and arguments follow from the contracts.
import type { TSchema } from 'typebox';
import { type Endpoint, namesIn } from '../../kernel/contract/contract.ts';
import { paramsSchema, querySchema } from '../../kernel/http/routes.ts';
import type { Module } from '../../kernel/module.ts';

const plurals = ['Updates', 'Kudos', 'Articles', 'Events', 'Pages'];
const nouns = ['Update', 'Kudos', 'Article', 'Event', 'Page'];

/** What an assistant is for: finding, reading and writing. Nobody administers through one. */
const offered: ReadonlySet<string> = new Set([
  ...['search', 'listActivity', 'getSession'],
  ...['listUsers', 'getUser', 'listTeams', 'listSpaces', 'getSpace', 'listBadges', 'listGoals'],
  ...['listDocuments', 'getDocument'],
  ...plurals.map((plural) => `list${plural}`),
  ...nouns.flatMap((noun) => ['get', 'create', 'replace', 'delete'].map((verb) => verb + noun)),
  ...nouns.flatMap((noun) => [`list${noun}Comments`, `create${noun}Comment`]),
  ...['replaceComment', 'deleteComment', 'answerEvent', 'acknowledgeUpdate', 'acknowledgeArticle'],
]);

export interface Operation {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Where it is read that this one changes: its name in the same family. */
  readonly read: Endpoint | undefined;
}

/** By the name of the tool, which is the operationId. */
export function operationsIn(modules: readonly Module[]): ReadonlyMap<string, Operation> {
  const families = modules.flatMap(({ routes = [] }) => routes.map(({ family }) => Object.entries(family.endpoints)));
  const found = families.flatMap((own) =>
    own
      .filter(([name]) => offered.has(name))
      .map(([name, endpoint]) => {
        const twin = own.find(([, one]) => one.method === 'GET' && one.path === endpoint.path && !one.list)?.[1];
        return { name, endpoint, read: endpoint.method === 'GET' ? undefined : twin };
      }),
  );
  return new Map(found.map((operation) => [operation.name, operation]));
}

type Fields = Record<string, object>;
const fieldsOf = (schema: object | undefined) => (schema as { properties?: Fields } | undefined)?.properties ?? {};
const requiredIn = (schema: object | undefined) => (schema as { required?: string[] } | undefined)?.required ?? [];

export interface Argued {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly body: readonly string[];
}
/** Where each argument goes. */
export const argumentsOf = ({ endpoint }: Operation): Argued => ({
  path: namesIn(endpoint.path),
  query: Object.keys(fieldsOf(querySchema(endpoint))),
  body: Object.keys(fieldsOf(endpoint.body)),
});

/** As the protocol lists it. `plain` makes a schema of the contracts plain JSON Schema. */
export function toolOf(operation: Operation, plain: (schema: TSchema) => object) {
  const { name, endpoint } = operation;
  const parts = [paramsSchema(endpoint), querySchema(endpoint), endpoint.body];
  const fields = parts.flatMap((part) => Object.entries(fieldsOf(part))).filter(([, field]) => !hasFile(field));
  const isRead = endpoint.method === 'GET';
  const more =
    operation.read && endpoint.method === 'PUT' ? 'Fields that are left out are cleared: read it first.' : '';
  return {
    name,
    title: endpoint.summary,
    description: [`${endpoint.summary}.`, endpoint.description, more].filter(Boolean).join(' '),
    inputSchema: {
      type: 'object' as const,
      properties: {
        ...Object.fromEntries(fields.map(([field, schema]) => [field, plain(schema as TSchema)])),
        ...(isRead ? {} : { confirmation }),
      },
      required: parts.flatMap(requiredIn).filter((field) => fields.some(([known]) => known === field)),
    },
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: endpoint.method === 'DELETE' || endpoint.method === 'PUT',
      idempotentHint: endpoint.method !== 'POST',
      openWorldHint: false,
    },
  };
}
const hasFile = (field: object) => JSON.stringify(field).includes('"x-file":true');
const confirmation = {
  type: 'string',
  description:
    'Leave it out. The answer then says what would be written, and carries the value that carries it out: ' +
    'only once the person has agreed.',
};

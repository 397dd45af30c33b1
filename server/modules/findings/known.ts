// What rules know of operations, from the contracts.
import type { Endpoint } from '../../kernel/contract/contract.ts';
import { querySchema } from '../../kernel/http/routes.ts';
import { isSingle } from '../../kernel/http/validators.ts';
import type { Module } from '../../kernel/module.ts';

export interface Known {
  readonly endpoint: Endpoint;
  readonly isList: boolean;
  /** Operation of the list that a row read alone is in. */
  readonly listOf: string | undefined;
  /** Webhooks tell when what it reads has changed. */
  readonly isTold: boolean;
  /** Parameters and fields that have a better name. */
  readonly former: readonly string[];
}
export type Knowledge = ReadonlyMap<string, Known>;

const formerNames = (schema: object | undefined) =>
  Object.entries((schema as { properties?: Record<string, object> } | undefined)?.properties ?? {})
    .filter(([, field]) => 'deprecated' in field)
    .map(([name]) => name);

export function knowledgeOf(modules: readonly Module[]): Knowledge {
  const families = modules.flatMap(({ routes = [] }) => routes.map(({ family }) => Object.entries(family.endpoints)));
  return new Map(
    families.flatMap((endpoints) => {
      const lists = endpoints.filter(([, { list }]) => list);
      const isTold = endpoints.some(([, { emits = [] }]) => emits.length > 0);
      return endpoints.map(([operation, endpoint]): [string, Known] => {
        const collection = endpoint.path.replace(/(\/by-[\w-]+)?\/\{\w+\}$/, '');
        const [listOf] = lists.find(([, { path }]) => path === collection && path !== endpoint.path) ?? [];
        return [
          operation,
          {
            endpoint,
            isList: endpoint.list !== undefined,
            listOf: isSingle(endpoint) ? listOf : undefined,
            isTold: isTold && endpoint.method === 'GET' && !/changes|requests|findings/.test(endpoint.path),
            former: [...formerNames(querySchema(endpoint)), ...formerNames(endpoint.body)],
          },
        ];
      });
    }),
  );
}

import { call } from '../../kernel/call.ts';
import type { Contract, QueryOf, ReplyOf } from '../../kernel/contracts.ts';
import { useRead } from '../../kernel/screen.tsx';

type Asked = Contract['GET /v1/session/rights'];
export type Rights = ReplyOf<Asked>;
export type Right = Rights['can'][number];

const none: Rights = { can: [], spaces: [] };
/** What this person may change there. Undefined: it is not known yet; nothing where it cannot be seen. */
export const useRights = (type: QueryOf<Asked>['type'], id?: number): Rights | undefined =>
  useRead(
    () =>
      call('GET /v1/session/rights', { query: { type, ...(id ? { id } : {}) } }).then(
        ({ data }) => data,
        () => none,
      ),
    [type, id],
  ).value;

/** Where something of the kind may be put: for everybody, and which spaces. */
export const placesFor = ({ can, spaces }: Rights, right: Right) => ({
  isForAll: can.includes(right),
  spaces: spaces.filter((space) => space.can.includes(right)),
});

import { notFound } from '../../kernel/errors.ts';
import type { Call } from '../../kernel/routes.ts';
import { authorOf, pastOnly } from '../users/access.ts';
import * as queries from './queries.ts';

type Asked = Pick<Call, 'tx' | 'actor'>;
interface Liker {
  user_id?: number;
  user_external_id?: string;
  external_user_id?: string;
  created_at?: string;
}
/** The person who likes: the caller, or whom a key names. */
const likerOf = ({ tx, actor }: Asked, { external_user_id, ...liker }: Liker) =>
  authorOf(tx, actor, { ...(external_user_id === undefined ? {} : { user_external_id: external_user_id }), ...liker });

export const like = async (call: Asked, kind: queries.Likeable, id: number, body: Liker) =>
  (await queries.insertLike(call.tx, kind, id, await likerOf(call, body), pastOnly(call.tx, body.created_at))) ?? notFound();
export const unlike = async (call: Asked, kind: queries.Likeable, id: number, query: Liker) =>
  queries.deleteLike(call.tx, kind, id, await likerOf(call, query));

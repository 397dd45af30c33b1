import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Call } from '../../kernel/http/routes.ts';
import { authorOf, importedAt, type NamedPerson } from '../users/access.ts';
import * as queries from './queries.ts';

type Asked = Pick<Call, 'tx' | 'actor'>;
/** The person who likes: the caller, or whom a key names. */
interface Liker extends NamedPerson {
  created_at?: string;
}

export const like = async (call: Asked, kind: queries.Likeable, id: number, body: Liker) =>
  (await queries.insertLike(
    call.tx,
    kind,
    id,
    await authorOf(call.tx, call.actor, body),
    importedAt(call.tx, call.actor, body.created_at),
  )) ?? refuseNotFound();
export const unlike = async (call: Asked, kind: queries.Likeable, id: number, query: Liker) =>
  queries.deleteLike(call.tx, kind, id, await authorOf(call.tx, call.actor, query));

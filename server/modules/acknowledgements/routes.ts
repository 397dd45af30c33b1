import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { type Call, type Routes, routes } from '../../kernel/http/routes.ts';
import { contentFor, reachesPerson } from '../content/access.ts';
import { authorOf, importedAt, type NamedPerson } from '../users/access.ts';
import { type AcknowledgedNoun, acknowledgedNouns, acknowledgementsOf } from './contract.ts';
import * as queries from './queries.ts';

const idOf = async ({ tx, actor }: Pick<Call, 'tx' | 'actor'>, noun: AcknowledgedNoun, key: Key) =>
  (await contentFor(tx, actor, noun, key)).id;

/** Who confirms: the caller, or whom a key names; somebody whom the content reaches. */
async function readerOf(
  { tx, actor, body }: Pick<Call, 'tx' | 'actor'> & { body: NamedPerson },
  noun: AcknowledgedNoun,
  id: number,
) {
  const named_by =
    body.user_id !== undefined ? 'user_id' : body.user_external_id !== undefined ? 'user_external_id' : undefined;
  if (actor.kind === 'key' && named_by === undefined) refuseInvalid('user_id', 'must name who confirms');
  const user_id = await authorOf(tx, actor, body);
  if (user_id !== actor.user_id && !(await reachesPerson(tx, noun, id, user_id)))
    refuse('user_not_found', 'This content is not for this person.', { path: named_by });
  return user_id;
}

export const acknowledgementRoutes: readonly Routes[] = acknowledgedNouns.map((noun) =>
  routes(acknowledgementsOf(noun), {
    getAcknowledgement: async (call) => {
      const id = await idOf(call, noun, call.params.id);
      return (await queries.getAcknowledgement(call.tx, noun, id, call.actor.user_id)) ?? refuseNotFound();
    },
    acknowledge: async (call) => {
      const { tx, body } = call;
      const id = await idOf(call, noun, call.params.id);
      const user_id = await readerOf(call, noun, id);
      const acknowledged_at = importedAt(tx, call.actor, body.acknowledged_at, 'acknowledged_at') ?? tx.now();
      const { content_version } = body;
      const acknowledgement = { user_id, acknowledged_at, content_version };
      const is_present = await queries.insertAcknowledgement(tx, noun, id, acknowledgement);
      if (is_present === undefined) refuse('acknowledgement_not_required', `This ${noun} asks for no acknowledgement.`);
      if (!is_present)
        refuse('content_changed', 'It has changed since; read it again first.', { path: 'content_version' });
      return (await queries.getAcknowledgement(tx, noun, id, user_id)) ?? refuseNotFound();
    },
    listAcknowledgementUsers: async (call) => {
      const id = await idOf(call, noun, call.params.id);
      const list = call.query.status === 'pending' ? queries.listPending : queries.listAcknowledged;
      return list(call.tx, noun, id, call.query);
    },
  }),
);

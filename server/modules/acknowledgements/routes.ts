import type { Key } from '../../kernel/contract.ts';
import { invalid, notFound, refuse } from '../../kernel/errors.ts';
import { type Call, keyedRoutes, named, type Routes } from '../../kernel/routes.ts';
import { contentFor } from '../content/access.ts';
import { contentExamples } from '../content/contract.ts';
import { authorOf } from '../users/access.ts';
import { type AcknowledgedNoun, acknowledgementsOf } from './contract.ts';
import * as queries from './queries.ts';

const idOf = async ({ tx, actor }: Pick<Call, 'tx' | 'actor'>, noun: AcknowledgedNoun, key: Key) =>
  (await contentFor(tx, actor, noun, key)).id;

export const acknowledgementRoutes: readonly Routes[] = contentExamples.flatMap(([noun, example]) =>
  noun === 'page' || noun === 'event'
    ? []
    : [
        named(
          noun,
          keyedRoutes('acknowledgements', 'Who confirmed that they read what was asked of them.', acknowledgementsOf(noun, example), {
            getContentAcknowledgement: async (call) =>
              (await queries.getAcknowledgement(call.tx, noun, await idOf(call, noun, call.params.id), call.actor.user_id)) ?? notFound(),
            acknowledgeContent: async (call) => {
              const { tx, actor, body } = call;
              const id = await idOf(call, noun, call.params.id);
              const user_id = await authorOf(tx, actor, body);
              const at = body.acknowledged_at ?? tx.now();
              if (Date.parse(at) > Date.parse(tx.now())) invalid('acknowledged_at', 'must not be in the future');
              if (!(await queries.insertAcknowledgement(tx, noun, id, user_id, at)))
                refuse('acknowledgement_not_required', `This ${noun} asks for no acknowledgement.`);
              return (await queries.getAcknowledgement(tx, noun, id, user_id)) ?? notFound();
            },
            listContentAcknowledgementUsers: async (call) => {
              const id = await idOf(call, noun, call.params.id);
              return call.query.status === 'pending'
                ? queries.listPending(call.tx, noun, id, call.query)
                : queries.listAcknowledged(call.tx, noun, id, call.query);
            },
          }),
        ),
      ],
);

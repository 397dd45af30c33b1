import { refuse, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { checkPeriod } from '../../kernel/data/periods.ts';
import { routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { deleteRow, getRow, getWritten, insertRow, replaceRow } from '../pictures/rows.ts';
import { importedAt, peopleOf } from '../users/access.ts';
import { livestreamTargets } from './access.ts';
import { type LivestreamReplacement, livestreams } from './contract.ts';
import { endLivestream, listLivestreams, livestreamFamily, startLivestream } from './queries.ts';

export const livestreamRoutes = routes(livestreams, {
  async listLivestreams({ tx, actor, query }) {
    if (query.from !== undefined && query.to !== undefined && query.to < query.from)
      refuseInvalid('to', 'must not be before from');
    return listLivestreams(tx, actor, query);
  },
  getLivestream: ({ tx, actor, params }) => getRow(tx, livestreamFamily, params.id, actor),
  createLivestream: ({ tx, actor, body }) =>
    tx.transaction(async (inside): Promise<Json> => {
      const { audience, values } = await checked(inside, actor, body);
      const { host_id = actor.user_id } = values;
      const created_at = importedAt(inside, actor, body.created_at);
      const json = await insertRow(inside, livestreamFamily, { ...values, host_id, created_at }, {}, actor);
      return addressed(inside, actor, json, audience);
    }),
  replaceLivestream: ({ tx, actor, params, body }) =>
    tx.transaction(async (inside): Promise<Json> => {
      await getRow(inside, livestreamFamily, params.id, actor);
      const { audience, values } = await checked(inside, actor, body);
      const json = await replaceRow(inside, livestreamFamily, params.id, values, actor);
      return addressed(inside, actor, json, audience);
    }),
  async startLivestream({ tx, actor, params }) {
    const started = await startLivestream(tx, actor, params.id);
    if (!started) await getRow(tx, livestreamFamily, params.id, actor);
    return started ?? refuse('already_started', 'This livestream has started already.');
  },
  async endLivestream({ tx, actor, params }) {
    const ended = await endLivestream(tx, actor, params.id);
    if (!ended) await getRow(tx, livestreamFamily, params.id, actor);
    return ended ?? refuse('not_live', 'This livestream is not live.');
  },
  deleteLivestream: ({ tx, actor, params }) => deleteRow(tx, livestreamFamily, params.id, actor),
});

async function checked(tx: Tx, actor: Actor, body: LivestreamReplacement) {
  checkPeriod(body, 'started_at', 'ended_at');
  const audience = await livestreamTargets(tx, actor, body.audience);
  const host_id = await hostOf(tx, body);
  return { audience, values: { ...body, host_id, audience_type: audience?.type, video_url: body.video?.url } };
}

/** For these from now on; undefined: for whom it was. */
async function addressed(tx: Tx, actor: Actor, json: Json, audience: AudienceTargets | undefined) {
  if (!audience) return json;
  const { id } = JSON.parse(json) as { id: number };
  await replaceAudience(tx, 'livestream', id, audience);
  return getWritten(tx, livestreamFamily, id, actor);
}

async function hostOf(tx: Tx, { host_id, host_external_id }: LivestreamReplacement): Promise<number | undefined> {
  const named = <T>(value: T | undefined) => (value === undefined ? [] : [value]);
  const people = await peopleOf(tx, [
    { field: 'host_id', values: named(host_id), external: false, single: true },
    { field: 'host_external_id', values: named(host_external_id), external: true, single: true },
  ]);
  return people.get('host_id')?.[0] ?? people.get('host_external_id')?.[0];
}

import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { checkPeriod } from '../../kernel/data/periods.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { importedAt, peopleOf } from '../users/access.ts';
import { livestreamTargets } from './access.ts';
import { type LivestreamReplacement, livestreams } from './contract.ts';
import * as queries from './queries.ts';

type Asked = Pick<Call, 'tx' | 'actor'>;

export const livestreamRoutes = routes(livestreams, {
  async listLivestreams({ tx, actor, query }) {
    if (query.from !== undefined && query.to !== undefined && query.to < query.from)
      refuseInvalid('to', 'must not be before from');
    return queries.listLivestreams(tx, actor, query);
  },
  getLivestream: ({ tx, actor, params }) => read({ tx, actor }, params.id),
  createLivestream: ({ tx, actor, body }) =>
    tx.transaction(async (inside): Promise<Json> => {
      const { audience, fields } = await checked({ tx: inside, actor }, body);
      const host_id = fields.host_id ?? actor.user_id;
      const id = await queries.insertLivestream(inside, {
        ...fields,
        host_id,
        created_at: importedAt(inside, actor, body.created_at),
      });
      if (audience) await replaceAudience(inside, 'livestream', id, audience);
      return queries.getLivestream(inside, actor, id);
    }),
  replaceLivestream: ({ tx, actor, params, body }) =>
    tx.transaction(async (inside): Promise<Json> => {
      await read({ tx: inside, actor }, params.id);
      const { audience, fields } = await checked({ tx: inside, actor }, body);
      if (!(await queries.updateLivestream(inside, actor, params.id, fields))) refuseNotFound();
      if (audience) await replaceAudience(inside, 'livestream', params.id, audience);
      return queries.getLivestream(inside, actor, params.id);
    }),
  async startLivestream({ tx, actor, params }) {
    const started = await queries.startLivestream(tx, actor, params.id);
    const stream = await read({ tx, actor }, params.id);
    return started ? stream : refuse('already_started', 'This livestream has started already.');
  },
  async endLivestream({ tx, actor, params }) {
    const ended = await queries.endLivestream(tx, actor, params.id);
    const stream = await read({ tx, actor }, params.id);
    return ended ? stream : refuse('not_live', 'This livestream is not live.');
  },
  deleteLivestream: async ({ tx, actor, params }) =>
    (await queries.deleteLivestream(tx, actor, params.id)) ?? refuseNotFound(),
});

const read = async ({ tx, actor }: Asked, id: number) =>
  (await queries.findLivestream(tx, actor, id)) ?? refuseNotFound();

async function checked({ tx, actor }: Asked, { audience: asked, ...body }: LivestreamReplacement) {
  checkPeriod(body, 'started_at', 'ended_at');
  const audience = await livestreamTargets(tx, actor, asked);
  return { audience, fields: { ...body, host_id: await hostOf(tx, body), audience_type: audience?.type } };
}

async function hostOf(tx: Tx, { host_id, host_external_id }: LivestreamReplacement): Promise<number | undefined> {
  const people = await peopleOf(tx, [
    { field: 'host_id', values: host_id === undefined ? [] : [host_id], external: false, single: true },
    {
      field: 'host_external_id',
      values: host_external_id === undefined ? [] : [host_external_id],
      external: true,
      single: true,
    },
  ]);
  return people.get('host_id')?.[0] ?? people.get('host_external_id')?.[0];
}

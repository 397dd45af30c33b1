import type { Json, Tx } from '../../kernel/data/db.ts';
import { checkPeriod } from '../../kernel/data/periods.ts';
import type { Values } from '../../kernel/data/rows.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { refuseReferences } from '../assets/access.ts';
import { targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { knownTargets, within } from '../content/posting.ts';
import { deleteRow, getRow, getWritten, insertRow, replaceRow, storingPictures } from '../pictures/rows.ts';
import { importedAt } from '../users/access.ts';
import { type BillboardReplacement, billboards } from './contract.ts';
import { billboardFamily, listBillboards } from './queries.ts';

export const billboardRoutes = routes(billboards, {
  listBillboards: async ({ tx, actor, query }) => listBillboards(tx, actor, query),
  getBillboard: ({ tx, actor, params }) => getRow(tx, billboardFamily, params.id, actor),
  createBillboard: (call) =>
    write(call, (tx, values) => {
      const { starts_at = tx.now(), created_at } = call.body;
      const moments = { starts_at, created_at: importedAt(tx, call.actor, created_at) };
      return insertRow(tx, billboardFamily, { ...values, ...moments }, {}, call.actor);
    }),
  replaceBillboard: (call) =>
    write(call, (tx, values) => replaceRow(tx, billboardFamily, call.params.id, values, call.actor)),
  deleteBillboard: ({ tx, actor, params }) => deleteRow(tx, billboardFamily, params.id, actor),
});

type Asked = Pick<Call, 'tx' | 'actor' | 'services'> & { body: BillboardReplacement };

function write(call: Asked, store: (tx: Tx, values: Values) => Promise<Json>): Promise<Json> {
  const { actor, body } = call;
  const { html_content = '' } = body;
  checkPeriod(body, 'starts_at', 'ends_at');
  refuseReferences('html_content', html_content);
  const audience = targetsOf(body.audience);
  const asked = { ...body, html_content, audience_type: audience?.type };
  return storingPictures(call, billboardFamily, asked, (values) =>
    call.tx.transaction(async (tx) => {
      const json = await store(tx, values);
      if (!audience) return json;
      const { id } = JSON.parse(json) as { id: number };
      await knownTargets(tx, actor, within('audience'), audience.spaces, audience.teams);
      await replaceAudience(tx, 'billboard', id, audience);
      return getWritten(tx, billboardFamily, id, actor);
    }),
  );
}

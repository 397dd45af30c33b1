import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { checkPeriod } from '../../kernel/data/periods.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { sanitizeHtml } from '../../kernel/text/html.ts';
import { refuseReferences } from '../assets/access.ts';
import { type AudienceTargets, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { knownTargets, within } from '../content/posting.ts';
import { withPictures } from '../pictures/queries.ts';
import { importedAt } from '../users/access.ts';
import { type BillboardReplacement, billboards } from './contract.ts';
import * as queries from './queries.ts';

export const billboardRoutes = routes(billboards, {
  listBillboards: async ({ tx, actor, query }) => queries.listBillboards(tx, actor, query),
  getBillboard: async ({ tx, actor, params }) =>
    (await queries.findBillboard(tx, actor, params.id)) ?? refuseNotFound(),
  createBillboard: (call) =>
    write(call, (tx, fields) =>
      queries.insertBillboard(tx, { ...fields, created_at: importedAt(tx, call.actor, call.body.created_at) }),
    ),
  replaceBillboard: (call) =>
    write(call, async (tx, fields) =>
      (await queries.updateBillboard(tx, call.actor, call.params.id, fields)) ? call.params.id : refuseNotFound(),
    ),
  deleteBillboard: async ({ tx, actor, params }) =>
    (await queries.deleteBillboard(tx, actor, params.id)) ?? refuseNotFound(),
});

type Asked = Pick<Call, 'tx' | 'actor' | 'services'> & { body: BillboardReplacement };

function write(
  { tx, actor, services, body }: Asked,
  store: (tx: Tx, fields: queries.BillboardFields) => Promise<number>,
): Promise<Json> {
  checkPeriod(body, 'starts_at', 'ends_at');
  const { audience: _, image, html_content = '', ...fields } = body;
  refuseReferences('html_content', html_content);
  const audience: AudienceTargets | undefined = targetsOf(body.audience);
  return withPictures(services.storage, tx.organisation_id, { image }, (keys) =>
    tx.transaction(async (inside) => {
      const id = await store(inside, {
        ...fields,
        html_content: sanitizeHtml(html_content),
        audience_type: audience?.type,
        image_key: keys.image,
      });
      if (audience) {
        await knownTargets(inside, actor, within('audience'), audience.spaces, audience.teams);
        await replaceAudience(inside, 'billboard', id, audience);
      }
      return queries.getBillboard(inside, actor, id);
    }),
  );
}

// Entries go to each sink in the order of the chain, some hundred in one request, through the guard of all that goes
// out. A 2xx moves the sink's place on; whatever else is sent again later, so that an entry arrives at least once.
import type { Tx } from '../../kernel/data/db.ts';
import { send } from '../../kernel/delivery/send.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { type Format, forms } from './formats.ts';
import { findHead, findSlice } from './queries.ts';
import * as sinks from './sinks.ts';

const AT_ONCE = 200;
const LEASE_S = 60;
const WAIT_MAX_S = 3600;

export const purposeOf = ({ organisation_id }: Tx) => `authorization of an audit sink of ${organisation_id}`;

export async function pushEntries(tx: Tx, services: Services) {
  for (let sink = await sinks.claimSink(tx, LEASE_S); sink; sink = await sinks.claimSink(tx, LEASE_S))
    await pushTo(tx, sink, services);
}

async function pushTo(tx: Tx, sink: sinks.DueSink, { egress, sealing, clock }: Services) {
  const { id, url, format, authorization_sealed, position, failures } = sink;
  const { sequence = position } = (await findHead(tx)) ?? {};
  const slice = await findSlice(tx, {}, position, sequence, AT_ONCE);
  const form = forms[format as Format];
  const authorization = authorization_sealed && sealing.open(purposeOf(tx), authorization_sealed);
  const { status, failure } = await send(egress, {
    ...{ at: clock.micros(), url, masked: {} },
    headers: { 'content-type': form.media, ...(authorization && { authorization }) },
    body: slice.map(({ json }) => form.line(json)).join(''),
  });
  if (failure === null) return sinks.markTaken(tx, id, slice.at(-1)?.sequence ?? sequence);
  const wait_s = Math.min(WAIT_MAX_S, 10 * 2 ** failures);
  return sinks.markFailed(tx, id, status === null ? failure : `status_${status}`, wait_s);
}

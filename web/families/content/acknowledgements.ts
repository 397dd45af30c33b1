// Articles, updates and kudos whose readers are asked to confirm that they read them.
import type { Static } from 'typebox';
import type * as acknowledgements from '../../../server/modules/acknowledgements/contract.ts';
import { request } from '../../kernel/call.ts';

export type AcknowledgedKind = 'articles' | 'updates' | 'kudos';
export type Acknowledgement = Static<typeof acknowledgements.Acknowledgement>;

const path = (kind: AcknowledgedKind, id: number) => `/v1/${kind}/${id}/acknowledgement`;
export const readAcknowledgement = async (kind: AcknowledgedKind, id: number) =>
  (await request<Acknowledgement>(`GET ${path(kind, id)}`)).data;
/** Of the version that the person sees; when it has changed since, the server refuses with `content_changed`. */
export const acknowledge = async (kind: AcknowledgedKind, id: number, content_version: number) =>
  (await request<Acknowledgement>(`POST ${path(kind, id)}`, { body: { content_version } })).data;

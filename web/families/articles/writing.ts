// An article as it is being written: its fields, how they are read, and what is sent.
import { call } from '../../kernel/call.ts';
import type { BodyOf, Contract } from '../../kernel/contracts.ts';
import { session } from '../../kernel/session.ts';
import { addressesIn } from '../writing/addresses.ts';
import { audienceOf, type ChosenAudience } from '../writing/audience.tsx';
import type { Base, Texts } from '../writing/writing.ts';

export interface ArticleFields extends Texts {
  cover_image_id: number | null;
  language: string;
  audience: ChosenAudience;
  /** `published`: it is, and nothing changes that here. */
  when: 'now' | 'later' | 'draft' | 'published';
  publish_at: string | null;
  requires_acknowledgement: boolean;
  acknowledgement_due_at: string | null;
  campaign_ids: number[];
}

export const newArticle = (audience: ChosenAudience): Base<ArticleFields> => ({
  fields: {
    ...{ title: '', subtitle: '', html_content: '', cover_image_id: null, audience },
    ...{ language: session.value?.organisation.locale ?? 'en', when: 'now', publish_at: null },
    ...{ requires_acknowledgement: false, acknowledgement_due_at: null, campaign_ids: [] },
  },
  addresses: new Map(),
});

export async function articleToEdit(id: number): Promise<Base<ArticleFields>> {
  const params = { id };
  const [{ data, etag }, signed, campaigns] = await Promise.all([
    call('GET /v1/articles/{id}', { params }),
    call('GET /v1/articles/{id}', { params, query: { sign_url: true } }),
    call('GET /v1/articles/{id}/campaigns', { params, query: { take: 100 } }).catch(() => ({ data: [] })),
  ]);
  const { cover_image, title, subtitle, html_content, language, audience, published_at, publish_at } = data;
  const { requires_acknowledgement, acknowledgement_due_at } = data;
  const addresses = addressesIn(signed.data.html_content);
  if (cover_image) addresses.set(`asset://${cover_image.asset_id}`, cover_image.url);
  const when = published_at ? 'published' : data.is_draft ? 'draft' : 'later';
  return {
    fields: {
      ...{ title, subtitle, html_content, cover_image_id: cover_image?.asset_id ?? null, audience, language },
      ...{ when, publish_at, requires_acknowledgement, acknowledgement_due_at },
      campaign_ids: campaigns.data.map((one) => one.id),
    },
    etag,
    addresses,
  };
}

const stateOf = ({ when, publish_at }: ArticleFields) =>
  when === 'published' ? {} : { is_draft: when === 'draft', publish_at: when === 'later' ? publish_at : null };
const bodyOf = (fields: ArticleFields): BodyOf<Contract['POST /v1/articles']> => ({
  title: fields.title,
  subtitle: fields.subtitle,
  html_content: fields.html_content,
  cover_image_id: fields.cover_image_id,
  requires_acknowledgement: fields.requires_acknowledgement,
  acknowledgement_due_at: fields.requires_acknowledgement ? fields.acknowledgement_due_at : null,
  campaign_ids: fields.campaign_ids,
  ...stateOf(fields),
});

export const createArticle = (fields: ArticleFields) =>
  call('POST /v1/articles', {
    body: { ...bodyOf(fields), language: fields.language, audience: audienceOf(fields.audience) },
  });
/** An audience that did not change is not sent: this person may not know all of it. */
export const replaceArticle = (
  id: number,
  fields: ArticleFields,
  before: ChosenAudience | undefined,
  etag: string | undefined,
) =>
  call('PUT /v1/articles/{id}', {
    params: { id },
    if_match: etag,
    body: {
      ...bodyOf(fields),
      ...(JSON.stringify(before) === JSON.stringify(fields.audience) ? {} : { audience: audienceOf(fields.audience) }),
    },
  });

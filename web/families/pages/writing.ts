// A page as it is being written: its fields, how they are read, and what is sent.
import { call } from '../../kernel/call.ts';
import { session } from '../../kernel/session.ts';
import { addressesIn } from '../writing/addresses.ts';
import type { Base, Texts } from '../writing/writing.ts';

export interface PageFields extends Texts {
  summary: string;
  language: string;
  space_id: number | null;
  parent_id: number | null;
  is_draft: boolean;
  is_standalone: boolean;
  is_sidebar_enabled: boolean;
}
export const newPage = (space_id: number | null, parent_id: number | null): Base<PageFields> => ({
  fields: {
    ...{ title: '', subtitle: '', html_content: '', summary: '', language: session.value?.organisation.locale ?? 'en' },
    ...{ space_id, parent_id, is_draft: false, is_standalone: false, is_sidebar_enabled: false },
  },
  addresses: new Map(),
});

export async function pageToEdit(id: number): Promise<Base<PageFields>> {
  const params = { id };
  const [{ data, etag }, signed] = await Promise.all([
    call('GET /v1/pages/{id}', { params }),
    call('GET /v1/pages/{id}', { params, query: { sign_url: true } }),
  ]);
  const { title, subtitle, html_content, summary, language, space_id, parent_id } = data;
  const [is_draft, is_standalone, is_sidebar_enabled] = [
    data.is_draft,
    data.is_standalone,
    data.is_sidebar_enabled,
  ].map((bit) => bit === 1) as [boolean, boolean, boolean];
  return {
    fields: {
      ...{ title, subtitle, html_content, summary, language, space_id, parent_id },
      ...{ is_draft, is_standalone, is_sidebar_enabled },
    },
    etag,
    addresses: addressesIn(signed.data.html_content),
  };
}

export const createPage = (fields: PageFields) => call('POST /v1/pages', { body: fields });
/** Its place in the tree is changed there. */
export const replacePage = (
  id: number,
  { language: _, parent_id: __, ...body }: PageFields,
  etag: string | undefined,
) => call('PUT /v1/pages/{id}', { params: { id }, body, if_match: etag });

import type { Readable } from 'node:stream';
import type { Paging } from '../contract/contract.ts';
import type { Refusal } from '../contract/errors.ts';
import type { Json } from '../data/db.ts';

/** What a handler hands back: one resource, a page of them, or either with extra `meta`. */
export type Answer = Data | Document | Stream;
type Data = Json | Page | WithMeta;
export interface Page {
  rows: Json[];
  /** Exact for the filter. */
  total: number;
  meta?: Record<string, unknown>;
}
/** The text of an endpoint with a media type of its own. */
export interface Document {
  text: string;
  file_name: string;
}
/** The whole reply, which is too long to be in memory at once. */
export interface Stream {
  stream: Readable;
  media: string;
  file_name?: string;
}
export interface WithMeta {
  data: Json | readonly Json[];
  meta: Record<string, unknown>;
  /** Fields of the reply beside `data`. */
  beside?: Readonly<Record<string, unknown>>;
}

export const toJson = (value: unknown): Json => JSON.stringify(value) as Json;

type PageAsked = Paging & { url: string };
/** docs/interface.md, Envelope. `data` is text that PostgreSQL made; nothing is parsed or serialised again. */
export function success(answer: Data, paging: PageAsked | undefined, warnings: readonly string[]): string {
  const { data, meta, beside = {} } = withMeta(answer, paging);
  const json = typeof data === 'string' ? data : `[${data.join(',')}]`;
  const fields = Object.entries(beside).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  const metaJson = JSON.stringify(warnings.length > 0 ? { ...meta, warnings } : meta);
  return `{${fields.join('')}"data":${json},"status":"success","meta":${metaJson}}`;
}

function withMeta(answer: Data, paging: PageAsked | undefined): WithMeta {
  if (typeof answer === 'string') return { data: answer, meta: {} };
  if (!('rows' in answer)) return answer;
  return {
    data: answer.rows,
    meta: { ...answer.meta, ...(paging ? { pagination: paginationOf(answer, paging) } : {}) },
  };
}

function paginationOf({ rows, total: total_records }: Page, { skip, take, url }: PageAsked) {
  const more = rows.length > 0 && skip + rows.length < total_records;
  const next = more ? new URL(url) : null;
  next?.searchParams.set('skip', String(skip + take));
  next?.searchParams.set('take', String(take));
  return { skip, take, total_records, next_page: next };
}

export const failure = ({ message, code, errors, options }: Refusal, request_id: string): string =>
  JSON.stringify({ data: null, status: 'error', message, code, meta: { errors, request_id, ...options.meta } });

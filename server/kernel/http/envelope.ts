import type { FieldError } from '../contract/errors.ts';
import type { Json } from '../data/db.ts';

/** What a handler hands back: one resource, a page of them, or either with extra `meta`. */
export type Answer = Json | Page | WithMeta | Document;
export interface Page {
  rows: Json[];
  /** Exact for the filter. */
  total: number;
}
/** The text of an endpoint with a media type of its own. */
export interface Document {
  text: string;
  file_name: string;
}
export interface WithMeta {
  data: Json | readonly Json[];
  meta: Record<string, unknown>;
  /** Fields of the reply beside `data`. */
  beside?: Readonly<Record<string, unknown>>;
}

export const toJson = (value: unknown): Json => JSON.stringify(value) as Json;
const arrayOf = (rows: readonly Json[]) => `[${rows.join(',')}]` as Json;

/** Interface 2.1. `data` is text that PostgreSQL made; nothing is parsed or serialised again. */
export function success(
  answer: Exclude<Answer, Document>,
  paging: { skip: number; take: number; url: string } | undefined,
  warnings: readonly string[],
): string {
  let data: string;
  let beside = '';
  const meta: Record<string, unknown> = {};
  if (typeof answer === 'string') data = answer;
  else if ('rows' in answer) {
    data = arrayOf(answer.rows);
    if (paging) meta.pagination = pagination(paging, answer.rows.length, answer.total);
  } else {
    data = typeof answer.data === 'string' ? answer.data : arrayOf(answer.data);
    Object.assign(meta, answer.meta);
    for (const [name, value] of Object.entries(answer.beside ?? {}))
      beside += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
  }
  if (warnings.length > 0) meta.warnings = warnings;
  return `{${beside}"data":${data},"status":"success","meta":${JSON.stringify(meta)}}`;
}

function pagination(
  { skip, take, url }: { skip: number; take: number; url: string },
  count: number,
  total_records: number,
) {
  const more = count > 0 && skip + count < total_records;
  return { skip, take, total_records, next_page: more ? nextPage(url, skip + take, take) : null };
}

function nextPage(url: string, skip: number, take: number): string {
  const next = new URL(url);
  next.searchParams.set('skip', String(skip));
  next.searchParams.set('take', String(take));
  return next.href;
}

export interface Failure {
  message: string;
  code: string;
  errors: readonly FieldError[];
  request_id: string;
  meta?: Record<string, unknown> | undefined;
}

export const failure = ({ message, code, errors, request_id, meta }: Failure): string =>
  JSON.stringify({ data: null, status: 'error', message, code, meta: { errors, request_id, ...meta } });

// An event is a row written in the same commit as the change. Who reads it later is not the writer's business.
import type { TProperties, TSchema } from 'typebox';
import { type Sql, sql, trusted } from './sql.ts';

export interface Event {
  /** `noun.past`, as the interface names it. */
  readonly action: string;
  readonly summary: string;
  /** The payload's keys beside `meta`. */
  readonly payload: Readonly<Record<string, TSchema>>;
}

export const event = (action: string, summary: string, payload: TProperties): Event => ({ action, summary, payload });

/**
 * Body of a CTE that writes one outbox row for each row of `source`, which has the columns `json` (the resource of the
 * payload's first key), one named after each further key, `is_public` (everybody in the organisation may see it now) and
 * `space_id` (or null).
 */
export const emitted = (declared: Event, source: string, now: string): Sql => sql`
  insert into outbox (organisation_id, action, payload, is_public, space_id, created_at)
  select $1, ${trusted(`'${declared.action}'`)}, json_build_object(${trusted(resourcesOf(declared))}), e.is_public, e.space_id, ${now}::timestamptz
  from ${trusted(source)} as e`;

const resourcesOf = ({ payload }: Event) =>
  Object.keys(payload)
    .map((key, n) => `'${key}', e.${n === 0 ? 'json' : `"${key}"`}`)
    .join(', ');

// What lasts from one moment to another, and the days of an organisation's calendar.
import { refuseInvalid } from '../contract/errors.ts';
import { type Sql, sql } from './sql.ts';

/** Refuses a period that ends before it starts. The names are those of the request's fields. */
export function checkPeriod<From extends string, To extends string>(
  period: { [K in From | To]?: string | null | undefined },
  from: From,
  to: To,
) {
  const [start, end] = [period[from], period[to]];
  if (start && end && Date.parse(end) < Date.parse(start)) refuseInvalid(to, `must not be before ${from}`);
}

const beginningOf = (day: Sql) =>
  sql`(${day}::timestamp at time zone (select o.timezone from organisations o where o.id = $1))`;

/** SQL: what lasts from `begins` to `ends` (null: for ever) is there on some day from startDate to endDate. */
export function onDays(query: { startDate?: string; endDate?: string }, begins: Sql, ends: Sql): Sql[] {
  const { startDate, endDate } = query;
  checkPeriod(query, 'startDate', 'endDate');
  return [
    ...(startDate === undefined ? [] : [sql`(${ends} is null or ${ends} > ${beginningOf(sql`${startDate}::date`)})`]),
    ...(endDate === undefined ? [] : [sql`${begins} < ${beginningOf(sql`(${endDate}::date + 1)`)}`]),
  ];
}

import { type FieldError, refuseFields } from '../../kernel/contract/errors.ts';

export interface Times {
  starts_at: string;
  ends_at: string;
}
/** iCalendar writes years with four digits. */
const [FIRST, LAST] = [Temporal.Instant.from('1900-01-01T00:00Z'), Temporal.Instant.from('9998-12-31T00:00Z')];

/** When an event takes place, as moments. An all-day event is widened to whole days of its time zone. */
export function timesOf(
  { starts_at, ends_at, all_day = false }: Times & { all_day?: boolean },
  timezone: string,
): Times {
  const errors: FieldError[] = [];
  const read = (path: keyof Times, text: string, side: 'first' | 'last') => {
    const moment = (all_day ? wholeDays(text, side, timezone) : undefined) ?? parsed(text, Temporal.Instant.from);
    if (moment && Temporal.Instant.compare(moment, FIRST) >= 0 && Temporal.Instant.compare(moment, LAST) <= 0)
      return moment;
    const form = `an ISO 8601 timestamp with a time zone${all_day ? ', or a date' : ''}`;
    errors.push({ path, message: moment ? 'must be in the years 1900 to 9998' : `must be ${form}` });
    return undefined;
  };
  const start = read('starts_at', starts_at, 'first');
  const end = read('ends_at', ends_at, 'last');
  if (!start || !end) refuseFields(errors);
  const order = Temporal.Instant.compare(start, end);
  if (order < 0) return { starts_at: start.toString(), ends_at: end.toString() };
  // One midnight given twice: that day.
  if (all_day && starts_at === ends_at)
    return {
      starts_at: start.toString(),
      ends_at: start.toZonedDateTimeISO(timezone).add({ days: 1 }).toInstant().toString(),
    };
  refuseFields([{ path: 'ends_at', message: 'must be after starts_at' }]);
}

/** The midnight before what happens first, or after what happens last. */
function wholeDays(text: string, side: 'first' | 'last', timezone: string): Temporal.Instant | undefined {
  const moment = parsed(text, Temporal.Instant.from)?.toZonedDateTimeISO(timezone);
  const day =
    moment?.toPlainDate() ?? (/^\d{4}-\d\d-\d\d$/.test(text) ? parsed(text, Temporal.PlainDate.from) : undefined);
  const isMidnight = moment?.equals(moment.startOfDay()) ?? false;
  return (side === 'last' && !isMidnight ? day?.add({ days: 1 }) : day)?.toZonedDateTime(timezone).toInstant();
}

function parsed<Value>(text: string, read: (text: string) => Value): Value | undefined {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}

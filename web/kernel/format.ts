// Times as people say them, in their language and time zone.
import { locale } from './words.ts';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const WEEK_S = 7 * 86_400;

export const day = (at: string, options: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }) =>
  new Intl.DateTimeFormat(locale.value, options).format(new Date(at));
export const time = (at: string) => day(at, { timeStyle: 'short' });

/** "3 hours ago" within a week, the date before that. */
export function ago(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  if (Math.abs(seconds) > WEEK_S) return day(at);
  const relative = new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' });
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.round(seconds / size), unit);
}

/** What `<input type="datetime-local">` shows, and back. */
export const atLocal = (at: string | null) => {
  if (!at) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
export const fromLocal = (typed: string) => (typed ? new Date(typed).toISOString() : null);

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
/** "1.4 MB". */
export function bytes(size: number | null): string {
  if (size === null) return '';
  const step = Math.min(Math.floor(Math.log10(Math.max(size, 1)) / 3), SIZES.length - 1);
  const unit = { style: 'unit', unit: SIZES[step] as string, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale.value, unit).format(size / 1000 ** step);
}

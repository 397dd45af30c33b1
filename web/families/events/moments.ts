// Moments as fields for dates have them: the reader's time, without a zone.
const HOUR_MS = 3_600_000;
const shifted = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** The end of an all-day event is midnight after its last day: the field has that day. */
export const localOf = (at: string, isEndOfDays = false) =>
  shifted(new Date(new Date(at).getTime() - (isEndOfDays ? HOUR_MS : 0)));
/** A day of an all-day event is just a day, wherever it is read. */
export const momentOf = (local: string, isDay: boolean) => (isDay ? local.slice(0, 10) : new Date(local).toISOString());
/** The next full hour of tomorrow, and the one after it. */
export function nextHours(): [string, string] {
  const starts = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS);
  return [shifted(starts), shifted(new Date(starts.getTime() + HOUR_MS))];
}

// A month as a table: weeks are rows, in the order of days that the person's country has.
import { day, time } from '../../kernel/format.ts';
import { useRead } from '../../kernel/screen.tsx';
import { locale, t } from '../../kernel/words.ts';
import { Failed } from '../../ui/states.tsx';
import { EventCard } from './card.tsx';
import { eventsBetween, type ListedEvent } from './data.ts';

const MONDAY = 1;
interface WithWeek {
  getWeekInfo?: () => { firstDay: number };
  weekInfo?: { firstDay: number };
}
/** 1 is Monday, 7 Sunday. */
function firstDayOfWeek() {
  const known = new Intl.Locale(locale.value) as WithWeek;
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? MONDAY;
}
const nameOf = (year: number, month: number) => {
  const at = new Date(year, month, 1);
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}`;
};
const sameDay = (a: Date, b: Date) => a.toDateString() === b.toDateString();

/** Whole weeks, from the one that the month begins in to the one it ends in. */
function weeksOf(year: number, month: number): Date[][] {
  const first = new Date(year, month, 1);
  const before = (first.getDay() - (firstDayOfWeek() % 7) + 7) % 7;
  const count = Math.ceil((before + new Date(year, month + 1, 0).getDate()) / 7);
  return Array.from({ length: count }, (_, week) =>
    Array.from({ length: 7 }, (_, n) => new Date(year, month, 1 - before + week * 7 + n)),
  );
}

export function Month({ month: asked }: { month: string | undefined }) {
  const today = new Date();
  const [, y, m] = /^(\d{4})-(\d\d)$/.exec(asked ?? '') ?? [];
  const [year, month] = y ? [Number(y), Number(m) - 1] : [today.getFullYear(), today.getMonth()];
  const weeks = weeksOf(year, month);
  const [from, until] = [weeks[0]?.[0] as Date, new Date(year, month, 1 - 7 + (weeks.length + 1) * 7)];
  const {
    value: events = [],
    failed,
    again,
  } = useRead(
    // A week before: what began then may still go on.
    () => eventsBetween(new Date(from.getTime() - 7 * 86_400_000).toISOString(), until.toISOString()),
    [year, month],
  );
  const on = (date: Date) => {
    const next = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1);
    return events.filter(({ starts_at, ends_at }) => new Date(starts_at) < next && new Date(ends_at) > date);
  };
  const title = day(new Date(year, month, 1).toISOString(), { month: 'long', year: 'numeric' });
  const inMonth = events.filter(({ starts_at }) => new Date(starts_at).getMonth() === month);
  if (failed) return <Failed refusal={failed} again={again} />;
  return (
    <section aria-label={title} class="month">
      <div class="month-head">
        <a class="button plain" href={`/events?view=month&month=${nameOf(year, month - 1)}`}>
          {t('pages.before')}
        </a>
        <h2 aria-live="polite">{title}</h2>
        <a class="button plain" href={`/events?view=month&month=${nameOf(year, month + 1)}`}>
          {t('pages.next')}
        </a>
      </div>
      <table>
        <thead>
          <tr>
            {weeks[0]?.map((date) => (
              <th key={date.getDay()} scope="col">
                <abbr title={day(date.toISOString(), { weekday: 'long' })}>
                  <span class="short">{day(date.toISOString(), { weekday: 'short' })}</span>
                  <span class="shorter">{day(date.toISOString(), { weekday: 'narrow' })}</span>
                </abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]?.toISOString()}>
              {week.map((date) => (
                <td
                  key={date.toISOString()}
                  class={date.getMonth() === month ? '' : 'other'}
                  aria-current={sameDay(date, today) ? 'date' : undefined}
                >
                  <time dateTime={nameOf(date.getFullYear(), date.getMonth())}>
                    {day(date.toISOString(), { day: 'numeric' })}
                  </time>
                  {on(date).map((event) => (
                    <Entry key={event.id} event={event} isFirst={sameDay(new Date(event.starts_at), date)} />
                  ))}
                  {on(date).length > 0 && <span class="dot" aria-hidden="true" />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="month-list">
        {inMonth.length === 0 && <p class="quiet-line">{t('event.none')}</p>}
        {inMonth.map((event) => (
          <EventCard key={event.id} event={event} />
        ))}
      </div>
    </section>
  );
}

const Entry = ({ event, isFirst }: { event: ListedEvent; isFirst: boolean }) => (
  <a class="entry" href={`/events/${event.id}`}>
    {isFirst && !event.all_day && <span>{time(event.starts_at)}</span>}
    <bdi>{event.title}</bdi>
  </a>
);

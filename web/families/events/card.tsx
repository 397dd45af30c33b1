import { day, time } from '../../kernel/format.ts';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import type { CalendarEvent } from './data.ts';

export const EventBody = ({ event }: { event: CalendarEvent }) => (
  <>
    <h2>
      <a href={`/events/${event.id}`}>{event.title}</a>
    </h2>
    <When event={event} />
  </>
);

/** In the reader's time zone. */
export const When = ({ event: { starts_at, ends_at, all_day, location } }: { event: CalendarEvent }) => (
  <div class="counts">
    <span class="kind">
      <Icon name="clock" />
      <time dateTime={starts_at}>
        {day(starts_at, { dateStyle: 'full' })}
        {!all_day && `, ${time(starts_at)} – ${time(ends_at)}`}
      </time>
    </span>
    {location && (
      <span class="kind">
        <Icon name="map-pin" />
        {location}
      </span>
    )}
    {all_day && <span>{t('event.all_day')}</span>}
  </div>
);

import { day, time } from '../../kernel/format.ts';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import type { ListedEvent } from './data.ts';
import './events.css';

export const EventBody = ({ event }: { event: ListedEvent }) => (
  <>
    <h2>
      <a href={`/events/${event.id}`}>{event.title}</a>
    </h2>
    <When event={event} />
  </>
);

/** In the reader's time zone. */
export const When = ({ event: { starts_at, ends_at, all_day, location } }: { event: ListedEvent }) => (
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

/** In a list: when, where, whether one comes. */
export const EventCard = ({ event }: { event: ListedEvent }) => (
  <div class="card event-card">
    <DayLeaf at={event.starts_at} />
    <div>
      <EventBody event={event} />
      <p class="counts">
        <span>{t('event.coming_count', { n: event.going_count })}</span>
        {event.capacity && <span>{t('event.seats', { n: Math.max(event.capacity - event.going_count, 0) })}</span>}
        {event.my_rsvp && (
          <span class="kind">
            <Icon name="check" />
            {t(`event.mine_${event.my_rsvp}`)}
          </span>
        )}
      </p>
    </div>
  </div>
);
const DayLeaf = ({ at }: { at: string }) => (
  <span class="day-leaf" aria-hidden="true">
    <small>{day(at, { month: 'short' })}</small>
    <b>{day(at, { day: 'numeric' })}</b>
  </span>
);

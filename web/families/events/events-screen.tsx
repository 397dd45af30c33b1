import { useLocation } from 'preact-iso';
import { useTitle } from '../../kernel/screen.tsx';
import { may } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import '../content/content.css';
import { EventCard } from './card.tsx';
import { type CalendarEvent, past, upcoming } from './data.ts';
import { Month } from './month.tsx';

const views = [
  ['', 'event.upcoming'],
  ['month', 'event.month'],
  ['past', 'event.past'],
] as const;

function EventsScreen() {
  const { query } = useLocation();
  const { view = '', month } = query as { view?: string; month?: string };
  useTitle(t('place.events'));
  return (
    <div class={view === 'month' ? 'wide' : 'narrow'}>
      <div class="screen-head">
        <h1>{t('place.events')}</h1>
        <div class="actions">
          <a class="button plain" href="/settings/calendar">
            <Icon name="link" />
            {t('event.subscribe')}
          </a>
          {may('events.*.write') && (
            <a class="button main" href="/events/new">
              <Icon name="plus" />
              {t('event.new')}
            </a>
          )}
        </div>
      </div>
      <Tabs
        label={t('place.events')}
        here={view}
        tabs={views.map(([name, word]) => ({ name, href: name ? `/events?view=${name}` : '/events', word: t(word) }))}
      />
      {view === 'month' ? (
        <Month month={month} />
      ) : (
        <Feed<CalendarEvent>
          key={view}
          list={view === 'past' ? past() : upcoming()}
          label={t('place.events')}
          empty={<Empty icon="calendar" title={t('event.none')} />}
        >
          {(event) => <EventCard event={event} />}
        </Feed>
      )}
    </div>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default EventsScreen;

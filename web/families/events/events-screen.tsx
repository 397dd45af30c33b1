import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { EventBody } from './card.tsx';
import { type CalendarEvent, upcoming } from './data.ts';

function EventsScreen() {
  useTitle(t('place.events'));
  return (
    <>
      <h1>{t('place.events')}</h1>
      <Feed<CalendarEvent>
        list={upcoming()}
        label={t('place.events')}
        empty={<Empty icon="calendar" title={t('event.none')} />}
      >
        {(event) => (
          <div class="card">
            <EventBody event={event} />
          </div>
        )}
      </Feed>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default EventsScreen;

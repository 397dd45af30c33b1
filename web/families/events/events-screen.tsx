import { row } from '../../kernel/rows.ts';
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
      <Feed list={upcoming()} label={t('place.events')} empty={<Empty icon="calendar" title={t('event.none')} />}>
        {({ id }) => <EventCard id={id} />}
      </Feed>
    </>
  );
}
function EventCard({ id }: { id: number }) {
  const event = row<CalendarEvent>('events', id).value;
  return event ? (
    <div class="card">
      <EventBody event={event} />
    </div>
  ) : null;
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default EventsScreen;

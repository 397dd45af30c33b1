import { useLocation } from 'preact-iso';
import { Refusal } from '../../kernel/call.ts';
import { Html } from '../../kernel/html.tsx';
import { forget } from '../../kernel/rows.ts';
import { type Address, Thing, useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../ui/toast.tsx';
import { audienceWords } from '../content/audience.tsx';
import { Byline } from '../content/byline.tsx';
import { Comments } from '../content/comments.tsx';
import '../content/content.css';
import { ReactionsWithNames } from '../content/reactions.tsx';
import { Seen } from '../notifications/seen.tsx';
import { PersonLine } from '../users/person-line.tsx';
import { When } from './card.tsx';
import { type Answer, answerEvent, attendeesOf, type CalendarEvent, deleteEvent, readEvent, upcoming } from './data.ts';

const EventScreen = ({ id = '' }: Address) => (
  <Thing<CalendarEvent> kind="events" id={Number(id)} read={readEvent} title={({ title }) => title}>
    {(event) => (
      <>
        <Seen type="event" id={event.id} />
        <h1 dir="auto">{event.title}</h1>
        <When event={event} />
        <Byline author={event.creator} at={event.created_at} note={audienceWords(event.audience)} />
        <Html html={event.html_content} />
        <Answers event={event} />
        <Actions event={event} />
        <Attendees event={event} />
        <ReactionsWithNames kind="events" thing={event} />
        <Comments kind="events" thing={event} />
      </>
    )}
  </Thing>
);

function Answers({ event }: { event: CalendarEvent }) {
  const answer = (status: Answer) => () =>
    answerEvent(event.id, status).catch((error) =>
      say(error instanceof Refusal && error.code === 'event_full' ? t('event.full') : t('state.failed')),
    );
  const answers = [
    ['going', t('event.going'), event.going_count],
    ['maybe', t('event.maybe'), event.maybe_count],
    ['declined', t('event.declined'), event.declined_count],
  ] as const;
  return (
    <fieldset class="answers">
      <legend>{t('event.coming')}</legend>
      {event.capacity && (
        <p class="quiet-line seats">{t('event.seats', { n: Math.max(event.capacity - event.going_count, 0) })}</p>
      )}
      {answers.map(([status, word, n]) => (
        <Button
          key={status}
          look={event.my_rsvp === status ? 'main' : 'plain'}
          aria-pressed={event.my_rsvp === status}
          onClick={answer(status)}
        >
          {word} · {n}
        </Button>
      ))}
    </fieldset>
  );
}
/** Takes it along to a calendar; who may, changes it or calls it off. */
function Actions({ event: { id, url, viewer } }: { event: CalendarEvent }) {
  const { route } = useLocation();
  const remove = async () => {
    if (!(await confirm(t('event.delete_really'), t('action.delete')))) return;
    try {
      await deleteEvent(id);
    } catch (error) {
      const { status, code } = Refusal.of(error);
      if (status !== 404 && code !== 'concurrent_delete') return say(t('state.failed'));
    }
    upcoming().remove('events', id);
    route('/events');
    forget('events', id);
    say(t('post.deleted'));
  };
  return (
    <div class="actions">
      {url && (
        <a class="button main" href={url} rel="noopener noreferrer">
          <Icon name="external-link" />
          {t('event.join')}
        </a>
      )}
      <a class="button plain" href={`/v1/events/${id}/calendar.ics`} download>
        <Icon name="calendar" />
        {t('event.take_along')}
      </a>
      {viewer?.may_edit && (
        <a class="button plain" href={`/events/${id}/edit`}>
          <Icon name="pencil" />
          {t('event.edit')}
        </a>
      )}
      {viewer?.may_delete && (
        <Button look="danger" icon="trash-2" onClick={remove}>
          {t('action.delete')}
        </Button>
      )}
    </div>
  );
}

function Attendees({ event: { id, going_count, maybe_count } }: { event: CalendarEvent }) {
  const { value: attendees = [] } = useRead(() => attendeesOf(id), [id, going_count, maybe_count]);
  const coming = attendees.filter(({ status }) => status === 'going');
  if (coming.length === 0) return null;
  return (
    <details class="part">
      <summary>{t('event.coming_count', { n: going_count })}</summary>
      <ul class="rows">
        {coming.map(({ user }) => (
          <li key={user.id}>
            <PersonLine person={user} />
          </li>
        ))}
      </ul>
    </details>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default EventScreen;

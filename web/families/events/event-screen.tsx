import { Refusal } from '../../kernel/call.ts';
import { Html } from '../../kernel/html.tsx';
import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import { audienceWords } from '../content/audience.tsx';
import { Byline } from '../content/byline.tsx';
import { Comments } from '../content/comments.tsx';
import '../content/content.css';
import { ReactionsWithNames } from '../content/reactions.tsx';
import { When } from './card.tsx';
import { type Answer, answerEvent, type CalendarEvent, readEvent } from './data.ts';

const EventScreen = ({ id = '' }: Address) => (
  <Thing<CalendarEvent> kind="events" id={Number(id)} read={readEvent} title={({ title }) => title}>
    {(event) => (
      <>
        <h1 dir="auto">{event.title}</h1>
        <When event={event} />
        <Byline author={event.creator} at={event.created_at} note={audienceWords(event.audience)} />
        <Html html={event.html_content} />
        <Answers event={event} />
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
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default EventScreen;

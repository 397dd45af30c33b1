import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Refusal } from '../../kernel/call.ts';
import { type Address, useRead, useTitle } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField, errorAt, Field, TextField } from '../../ui/field.tsx';
import { Failed, Gone, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import '../content/content.css';
import { spacesToPostIn } from '../spaces/data.ts';
import { type CalendarEvent, type NewEvent, readEventToEdit, saveEvent } from './data.ts';
import './events.css';
import { localOf, momentOf, nextHours } from './moments.ts';

/** `/events/new`, and `/events/{id}/edit`. */
function EventFormScreen({ id }: Address) {
  const title = t(id ? 'event.edit' : 'event.new');
  useTitle(title);
  const { value, failed, again } = useRead(
    async () => ({ event: id ? (await readEventToEdit(Number(id))).data : undefined, spaces: await spacesToPostIn() }),
    [id],
  );
  if (failed?.status === 404 || value?.event?.viewer?.may_edit === false) return <Gone />;
  return (
    <>
      <h1>{title}</h1>
      {failed && <Failed refusal={failed} again={again} />}
      {!value && !failed && <Loading lines={8} />}
      {value && <EventForm {...value} />}
    </>
  );
}

interface Props {
  event: CalendarEvent | undefined;
  spaces: readonly { id: number; name: string }[];
}
function EventForm({ event, spaces }: Props) {
  const { query, route } = useLocation();
  const [isAllDay, setAllDay] = useState(event?.all_day ?? false);
  const [space, setSpace] = useState((query as { space?: string }).space ?? '');
  const [starts, ends] = event ? [localOf(event.starts_at), localOf(event.ends_at, event.all_day)] : nextHours();
  const { submit, isBusy, failed } = useSubmit(async (form) => {
    const given = new FormData(form);
    const text = (name: string) => String(given.get(name) ?? '').trim();
    const description = text('description');
    const body: NewEvent = {
      title: text('title'),
      starts_at: momentOf(text('starts_at'), isAllDay),
      ends_at: momentOf(text('ends_at'), isAllDay),
      all_day: isAllDay,
      description,
      // What was laid out elsewhere stays so for as long as its words do.
      ...(event && description === event.description ? { html_content: event.html_content } : {}),
      location: text('location'),
      url: text('url') || null,
      capacity: Number(text('capacity')) || null,
      ...(event || !space ? {} : { audience: { type: 'spaces', spaces: [Number(space)] } }),
    };
    const saved = await saveEvent(event?.id, body);
    route(`/events/${saved.id}`);
    say(t('settings.saved'));
  });
  const wrong = (name: string) => errorAt(failed, name);
  const length = isAllDay ? 10 : 16;
  return (
    <form class="card composer" onSubmit={submit}>
      <TextField
        label={t('event.title')}
        name="title"
        type="text"
        required
        maxLength={500}
        defaultValue={event?.title ?? ''}
        error={wrong('title')}
      />
      <label class="check">
        <input type="checkbox" checked={isAllDay} onChange={({ currentTarget }) => setAllDay(currentTarget.checked)} />
        {t('event.all_day')}
      </label>
      <div class="pair" key={String(isAllDay)}>
        {(
          [
            ['starts_at', 'event.starts', starts],
            ['ends_at', 'event.ends', ends],
          ] as const
        ).map(([name, word, value]) => (
          <Field key={name} label={t(word)} error={wrong(name)}>
            {(own) => (
              <input
                class="input"
                name={name}
                type={isAllDay ? 'date' : 'datetime-local'}
                required
                defaultValue={value.slice(0, length)}
                {...own}
              />
            )}
          </Field>
        ))}
      </div>
      <div class="pair">
        <TextField
          label={t('event.location')}
          name="location"
          type="text"
          maxLength={500}
          defaultValue={event?.location ?? ''}
          error={wrong('location')}
        />
        <TextField label={t('event.url')} name="url" type="url" defaultValue={event?.url ?? ''} error={wrong('url')} />
      </div>
      <Field label={t('event.about')} error={wrong('description')}>
        {(own) => (
          <textarea
            class="input"
            name="description"
            rows={5}
            maxLength={10_000}
            dir="auto"
            defaultValue={event?.description ?? ''}
            {...own}
          />
        )}
      </Field>
      <div class="pair">
        <Field label={t('event.capacity')} hint={t('event.capacity_hint')} error={wrong('capacity')}>
          {(own) => (
            <input
              class="input"
              name="capacity"
              type="number"
              min={1}
              max={1_000_000}
              defaultValue={event?.capacity ?? ''}
              {...own}
            />
          )}
        </Field>
        {!event && (
          <ChoiceField
            label={t('post.for')}
            value={space}
            onChoice={setSpace}
            none={t('audience.everybody')}
            choices={spaces}
          />
        )}
      </div>
      {failed && (
        <p role="alert" class="refused">
          {wordsFor(failed)}
        </p>
      )}
      <div class="actions">
        <Button type="submit" look="main" icon="check" disabled={isBusy}>
          {t(event ? 'action.save' : 'event.create')}
        </Button>
        <a class="button plain" href={event ? `/events/${event.id}` : '/events'}>
          {t('action.cancel')}
        </a>
      </div>
    </form>
  );
}
const wordsFor = ({ status, errors }: Refusal) =>
  t(status === 403 ? 'event.not_allowed' : status === 400 && errors.length > 0 ? 'event.wrong' : 'state.failed');
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default EventFormScreen;

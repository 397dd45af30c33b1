import { useState } from 'preact/hooks';
import { Refusal } from '../../kernel/call.ts';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { errorAt, Field, TextField } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { type Person, profileOf, savePhoto, saveProfile } from './data.ts';

const textOf = (form: FormData, name: string) => String(form.get(name) ?? '').trim() || null;
/** Chosen by hand only where somebody works elsewhere than their device thinks. */
const zones = () => Intl.supportedValuesOf('timeZone');

/** What a person says of themselves. */
export function ProfileForm({ person, onDone }: { person: Person; onDone: () => void }) {
  const { submit, isBusy, failed } = useSubmit(async (form) => {
    const given = new FormData(form);
    await saveProfile({
      ...profileOf(person),
      display_name: textOf(given, 'display_name'),
      mobile_phone: textOf(given, 'mobile_phone'),
      direct_dial: textOf(given, 'direct_dial'),
      timezone: textOf(given, 'timezone'),
    });
    say(t('settings.saved'));
    onDone();
  });
  const wrong = (path: string) => errorAt(failed, path);
  return (
    <form class="card composer" onSubmit={submit} aria-label={t('profile.edit')}>
      <Photo person={person} />
      <TextField
        label={t('profile.display_name')}
        hint={t('profile.display_name_hint')}
        name="display_name"
        type="text"
        defaultValue={person.display_name ?? ''}
        error={wrong('display_name')}
      />
      <TextField
        label={t('person.mobile')}
        name="mobile_phone"
        type="tel"
        autocomplete="tel"
        defaultValue={person.mobile_phone ?? ''}
        error={wrong('mobile_phone')}
      />
      <TextField
        label={t('person.direct')}
        name="direct_dial"
        type="tel"
        autocomplete="work tel"
        defaultValue={person.direct_dial ?? ''}
        error={wrong('direct_dial')}
      />
      <Field label={t('profile.timezone')} error={wrong('timezone')}>
        {(own) => (
          <select class="input" name="timezone" {...own}>
            <option value="">{t('profile.no_timezone')}</option>
            {zones().map((zone) => (
              <option key={zone} value={zone} selected={zone === person.timezone}>
                {zone.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        )}
      </Field>
      {failed && failed.errors.length === 0 && (
        <p role="alert" class="refused">
          {t('state.failed')}
        </p>
      )}
      <div class="counts">
        <Button type="submit" look="main" icon="check" disabled={isBusy}>
          {t('action.save')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
      </div>
    </form>
  );
}

function Photo({ person }: { person: Person }) {
  const [isBusy, setBusy] = useState(false);
  const choose = async ([file]: readonly File[]) => {
    if (!file) return;
    setBusy(true);
    await savePhoto(file).then(
      () => say(t('profile.photo_saved')),
      (error) => say(t(Refusal.of(error).status === 0 ? 'state.offline' : 'profile.photo_wrong')),
    );
    setBusy(false);
  };
  return (
    <Field label={t('profile.photo')} hint={t('profile.photo_hint')}>
      {(own) => (
        <div class="photo">
          <Avatar src={person.avatar_url} size="l" />
          <input
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            disabled={isBusy}
            onChange={({ currentTarget }) => choose([...(currentTarget.files ?? [])])}
            {...own}
          />
        </div>
      )}
    </Field>
  );
}

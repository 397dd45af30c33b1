import { useState } from 'preact/hooks';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { errorAt, TextField } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { changePassword } from './data.ts';

function PasswordSection() {
  const [turn, setTurn] = useState(0);
  const { submit, isBusy, failed } = useSubmit(async (form) => {
    const given = new FormData(form);
    await changePassword(String(given.get('current')), String(given.get('new')));
    setTurn(turn + 1);
    say(t('settings.password_changed'));
  });
  const isWrong = failed?.code === 'sign_in_failed';
  const isNewRefused = failed && errorAt(failed, 'new_password') !== undefined;
  return (
    <form key={turn} class="card composer" onSubmit={submit}>
      <TextField
        label={t('settings.password_now')}
        name="current"
        type="password"
        autocomplete="current-password"
        required
        error={isWrong ? t('settings.password_wrong') : undefined}
      />
      <TextField
        label={t('settings.password_new')}
        hint={t('settings.password_hint')}
        name="new"
        type="password"
        autocomplete="new-password"
        minLength={12}
        required
        error={isNewRefused ? t('settings.password_weak') : undefined}
      />
      {failed && !isWrong && !isNewRefused && (
        <p role="alert" class="refused">
          {t(failed.code === 'too_many_requests' ? 'session.too_many' : 'state.failed')}
        </p>
      )}
      <Button type="submit" look="main" disabled={isBusy}>
        {t('settings.password_change')}
      </Button>
    </form>
  );
}
// biome-ignore lint/style/noDefaultExport: a section is loaded by itself.
export default PasswordSection;

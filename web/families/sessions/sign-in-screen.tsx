import type { Refusal } from '../../kernel/call.ts';
import { useTitle } from '../../kernel/screen.tsx';
import { signIn } from '../../kernel/session.ts';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import './sessions.css';

/** Stands at whatever address was asked for, and gives way to it. */
export function SignInScreen() {
  const { submit, isBusy, failed } = useSubmit((form) => {
    const given = new FormData(form);
    return signIn(String(given.get('email')), String(given.get('password')));
  });
  useTitle(t('session.in'));
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>{t('session.in')}</h1>
        {failed && (
          <p role="alert" class="refused">
            {wordsFor(failed)}
          </p>
        )}
        <TextField label={t('session.email')} name="email" type="email" autocomplete="username" required autofocus />
        <TextField
          label={t('session.password')}
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
        <Button type="submit" look="main" disabled={isBusy}>
          {t('session.in')}
        </Button>
      </form>
    </main>
  );
}

const wordsFor = ({ status, code }: Refusal) => {
  if (code === 'sign_in_failed') return t('session.wrong');
  if (code === 'too_many_requests') return t('session.too_many');
  return status === 0 ? t('state.offline') : t('state.failed');
};

import { useState } from 'preact/hooks';
import type { Refusal } from '../../kernel/call.ts';
import { useTitle } from '../../kernel/screen.tsx';
import { hasEnded, signIn, signInByPasscode } from '../../kernel/session.ts';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { errorAt, TextField } from '../../ui/field.tsx';
import './sessions.css';

/** Stands at whatever address was asked for, and gives way to it. */
export function SignInScreen() {
  const [byCode, setByCode] = useState(false);
  const [email, setEmail] = useState('');
  useTitle(t('session.in'));
  return (
    <main class="sign-in">
      <div>
        <h1>{t('session.in')}</h1>
        {hasEnded.value && <p class="quiet">{t('session.ended')}</p>}
        {byCode ? <ByPasscode {...{ email, setEmail }} /> : <ByPassword {...{ email, setEmail }} />}
        <Button look="quiet" onClick={() => setByCode(!byCode)}>
          {t(byCode ? 'session.have_password' : 'session.have_code')}
        </Button>
      </div>
    </main>
  );
}

interface Props {
  email: string;
  setEmail: (email: string) => void;
}
const Email = ({ email, setEmail }: Props) => (
  <TextField
    label={t('session.email')}
    name="email"
    type="email"
    autocomplete="username"
    required
    autofocus
    defaultValue={email}
    onChange={({ currentTarget }) => setEmail(currentTarget.value)}
  />
);

function ByPassword(props: Props) {
  const { submit, isBusy, failed } = useSubmit((form) => {
    const given = new FormData(form);
    return signIn(String(given.get('email')), String(given.get('password')));
  });
  return (
    <form onSubmit={submit}>
      <Failure failed={failed} wrong={t('session.wrong')} />
      <Email {...props} />
      <TextField
        label={t('session.password')}
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      <Button type="submit" look="main" disabled={isBusy}>
        {t(isBusy ? 'session.busy' : 'session.in')}
      </Button>
    </form>
  );
}

/** Who lost the password and was given a passcode sets a new one, and is in. */
function ByPasscode(props: Props) {
  const { submit, isBusy, failed } = useSubmit((form) => {
    const given = new FormData(form);
    const text = (name: string) => String(given.get(name));
    return signInByPasscode(text('email'), text('code').trim(), text('new_password'));
  });
  const isWeak = failed && errorAt(failed, 'new_password') !== undefined;
  return (
    <form onSubmit={submit}>
      {!isWeak && <Failure failed={failed} wrong={t('session.code_wrong')} />}
      <Email {...props} />
      <TextField
        label={t('session.code')}
        hint={t('session.code_hint')}
        name="code"
        type="text"
        autocomplete="one-time-code"
        maxLength={20}
        required
      />
      <TextField
        label={t('settings.password_new')}
        hint={t('settings.password_hint')}
        error={isWeak ? t('settings.password_weak') : undefined}
        name="new_password"
        type="password"
        autocomplete="new-password"
        minLength={12}
        required
      />
      <Button type="submit" look="main" disabled={isBusy}>
        {t(isBusy ? 'session.busy' : 'session.code_in')}
      </Button>
    </form>
  );
}

function Failure({ failed, wrong }: { failed: Refusal | undefined; wrong: string }) {
  if (!failed) return null;
  const { status, code } = failed;
  const words = () => {
    if (code === 'sign_in_failed') return wrong;
    if (code === 'too_many_requests') return t('session.too_many');
    return status === 0 ? t('state.offline') : t('state.failed');
  };
  return (
    <p role="alert" class="refused">
      {words()}
    </p>
  );
}

import { useState } from 'preact/hooks';
import { useRead, useTitle } from '../../kernel/screen.tsx';
import { me } from '../../kernel/session.ts';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Loading } from '../../ui/states.tsx';
import { type Asked, askedIn, authorize, declined, readAuthorization } from './data.ts';
import './oauth.css';

/** A program has sent the person here, to be let in. */
function AuthorizeScreen() {
  const [asked] = useState(() => askedIn(location.search));
  const isAsked = asked.response_type === 'code' && asked.client_id && asked.redirect_uri;
  return isAsked ? <Consent asked={asked} /> : <Wrong />;
}

/** Where it would send them back is shown beside the name that it gives itself. */
function Consent({ asked }: { asked: Asked }) {
  const { value, failed, again } = useRead(() => readAuthorization(asked), []);
  const {
    submit,
    isBusy,
    failed: refused,
  } = useSubmit(async (form) => {
    const scope = new FormData(form).has('write') ? 'read write' : 'read';
    location.assign(await authorize(asked, scope));
  });
  const title = value ? t('oauth.title', { program: value.program.name }) : t('oauth.one');
  useTitle(title);
  if (failed?.status === 400 || refused?.status === 400) return <Wrong />;
  if (!value) return failed ? <Failed refusal={failed} again={again} /> : <Loading />;
  return (
    <form class="consent" onSubmit={submit}>
      <h1>{title}</h1>
      <p>{t('oauth.as', { person: me().name, host: value.redirect_host })}</p>
      <p>{t('oauth.read')}</p>
      {value.scopes.includes('write') && (
        <label class="choice">
          <input type="checkbox" name="write" defaultChecked />
          {t('oauth.write')}
        </label>
      )}
      {refused && <p role="alert">{t('state.failed')}</p>}
      <div class="actions">
        <Button type="submit" look="main" disabled={isBusy}>
          {t('oauth.allow')}
        </Button>
        <Button onClick={() => location.assign(declined(asked))}>{t('action.cancel')}</Button>
      </div>
    </form>
  );
}

function Wrong() {
  useTitle(t('oauth.one'));
  return (
    <>
      <h1>{t('oauth.one')}</h1>
      <p role="alert">{t('oauth.wrong')}</p>
    </>
  );
}

// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default AuthorizeScreen;

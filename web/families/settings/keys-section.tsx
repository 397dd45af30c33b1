import { useState } from 'preact/hooks';
import { ago, day } from '../../kernel/format.ts';
import { useRead } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { errorAt, TextField } from '../../ui/field.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { createKey, type Key, readKeys, revokeKey } from './data.ts';
import { Secret } from './secret.tsx';

/** Keys with which programs of the person act as they do. */
function KeysSection() {
  const { value: keys, failed, again } = useRead(readKeys, []);
  const [made, setMade] = useState<string>();
  if (failed) return <Failed refusal={failed} again={again} />;
  if (!keys) return <Loading />;
  const revoke = async (key: Key) => {
    if (!(await confirm(t('settings.key_revoke_really', { name: key.name }), t('settings.key_revoke')))) return;
    await revokeKey(key.id).catch(() => say(t('state.failed')));
    again();
  };
  return (
    <>
      <p class="quiet-line">{t('settings.keys_hint')}</p>
      {made && <Secret value={made} hint={t('settings.key_once')} />}
      {keys.length === 0 && <Empty icon="key-round" title={t('settings.no_keys')} />}
      <ul class="rows">
        {keys.map((key) => (
          <li key={key.id} class="own-row">
            <div>
              <b dir="auto">{key.name}</b>
              <p class="quiet-line">
                <bdi>{key.scopes.join(', ')}</bdi>
              </p>
              <p class="quiet-line">
                {key.status === 'active'
                  ? key.last_used_at
                    ? t('settings.key_used', { when: ago(key.last_used_at) })
                    : t('settings.key_unused', { date: day(key.created_at) })
                  : t(`settings.key_${key.status}`)}
              </p>
            </div>
            <Button onClick={() => revoke(key)}>{t('settings.key_revoke')}</Button>
          </li>
        ))}
      </ul>
      <NewKey
        onMade={(secret) => {
          setMade(secret);
          again();
        }}
      />
    </>
  );
}

function NewKey({ onMade }: { onMade: (secret: string) => void }) {
  const { submit, isBusy, failed } = useSubmit(async (form) => {
    const given = new FormData(form);
    const scopes = String(given.get('scopes'))
      .split(/[\s,]+/)
      .filter(Boolean);
    onMade((await createKey(String(given.get('name')), scopes)).api_key);
    form.reset();
  });
  const wrong = failed?.errors.find(({ path }) => path.startsWith('scopes'))?.message;
  return (
    <form class="card composer" onSubmit={submit}>
      <h2>{t('settings.new_key')}</h2>
      <TextField label={t('settings.key_name')} name="name" type="text" required error={errorAt(failed, 'name')} />
      <TextField
        label={t('settings.key_scopes')}
        hint={t('settings.key_scopes_hint')}
        name="scopes"
        type="text"
        required
        error={wrong ?? (failed && !errorAt(failed, 'name') ? failed.message : undefined)}
      />
      <Button type="submit" look="main" icon="plus" disabled={isBusy}>
        {t('settings.new_key')}
      </Button>
    </form>
  );
}
// biome-ignore lint/style/noDefaultExport: a section is loaded by itself.
export default KeysSection;

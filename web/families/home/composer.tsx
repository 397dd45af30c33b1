import { useState } from 'preact/hooks';
import type { Refusal } from '../../kernel/call.ts';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { errorAt, Field } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { postUpdate } from '../posts/data.ts';
import { spacesToPostIn } from '../spaces/data.ts';
import { news } from './data.ts';

/** Says something to everybody, or to a space. */
export function Composer() {
  const [text, setText] = useState('');
  const [space, setSpace] = useState('');
  const [failed, setFailed] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const { value: spaces = [] } = useRead(spacesToPostIn, []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    await postUpdate(text, Number(space) || undefined).then(
      ({ data }) => {
        setText('');
        news().prepend('updates', { ...data, kind: 'updates' } as never);
        say(t('post.posted'));
      },
      (refusal) => setFailed(refusal),
    );
    setBusy(false);
  };
  return (
    <form class="card composer" onSubmit={submit}>
      <Field label={t('post.new')} error={failed && (errorAt(failed, 'text') ?? t('state.failed'))}>
        {(own) => (
          <textarea
            class="input"
            rows={2}
            maxLength={100_000}
            required
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            {...own}
          />
        )}
      </Field>
      <Field label={t('post.for')}>
        {(own) => (
          <select class="input" value={space} onChange={({ currentTarget }) => setSpace(currentTarget.value)} {...own}>
            <option value="">{t('audience.everybody')}</option>
            {spaces.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button type="submit" look="main" icon="send" disabled={isBusy || text.trim() === ''}>
        {t('post.post')}
      </Button>
    </form>
  );
}

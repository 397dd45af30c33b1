import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Refusal } from '../../kernel/call.ts';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { errorAt, Field } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { giveKudos, readBadges } from './data.ts';

/** Thanks somebody in public, with a badge or without. */
export function Thanks({ to: { id, name } }: { to: { id: number; name: string } }) {
  const { route } = useLocation();
  const [text, setText] = useState('');
  const [badge, setBadge] = useState('');
  const [failed, setFailed] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const { value: badges = [] } = useRead(readBadges, []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    await giveKudos(id, text, Number(badge) || undefined).then(
      ({ data }) => {
        route(`/kudos/${data.id}`);
        say(t('kudos.given'));
      },
      (refusal) => setFailed(refusal),
    );
    setBusy(false);
  };
  return (
    <form class="card composer" onSubmit={submit} aria-label={t('kudos.to', { names: name })}>
      <Field label={t('kudos.for')} error={failed && (errorAt(failed, 'text') ?? t('state.failed'))}>
        {(own) => (
          <textarea
            class="input"
            rows={2}
            maxLength={100_000}
            required
            autofocus
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            {...own}
          />
        )}
      </Field>
      {badges.length > 0 && (
        <Field label={t('kudos.badge')} error={failed && errorAt(failed, 'badge_id')}>
          {(own) => (
            <select
              class="input"
              value={badge}
              onChange={({ currentTarget }) => setBadge(currentTarget.value)}
              {...own}
            >
              <option value="">{t('kudos.no_badge')}</option>
              {badges.map(({ id: badge_id, title }) => (
                <option key={badge_id} value={badge_id}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Button type="submit" look="main" icon="award" disabled={isBusy || text.trim() === ''}>
        {t('kudos.send')}
      </Button>
    </form>
  );
}

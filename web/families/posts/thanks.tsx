import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useRead } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField, errorAt } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { bodyOf, type Mention } from '../mentions/data.ts';
import { MentionField } from '../mentions/field.tsx';
import { giveKudos, readBadges } from './data.ts';

/** Thanks somebody in public, with a badge or without. */
export function Thanks({ to: { id, name } }: { to: { id: number; name: string } }) {
  const { route } = useLocation();
  const [text, setText] = useState('');
  const [mentions, setMentions] = useState<readonly Mention[]>([]);
  const [badge, setBadge] = useState('');
  const { value: badges = [] } = useRead(readBadges, []);
  const { submit, isBusy, failed } = useSubmit(async () => {
    const { data } = await giveKudos(id, bodyOf(text, mentions), Number(badge) || undefined);
    route(`/kudos/${data.id}`);
    say(t('kudos.given'));
  });
  return (
    <form class="card composer" onSubmit={submit} aria-label={t('kudos.to', { names: name })}>
      <MentionField
        label={t('kudos.for')}
        error={failed && (errorAt(failed, 'text') ?? t('state.failed'))}
        value={text}
        onWords={setText}
        mentions={mentions}
        onMentions={setMentions}
        place={{}}
        maxLength={100_000}
        autofocus
      />
      {badges.length > 0 && (
        <ChoiceField
          label={t('kudos.badge')}
          error={failed && errorAt(failed, 'badge_id')}
          value={badge}
          onChoice={setBadge}
          none={t('kudos.no_badge')}
          choices={badges.map((one) => ({ id: one.id, name: one.title }))}
        />
      )}
      <Button type="submit" look="main" icon="award" disabled={isBusy || text.trim() === ''}>
        {t('kudos.send')}
      </Button>
    </form>
  );
}

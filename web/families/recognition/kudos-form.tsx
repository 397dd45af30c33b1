import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useRead } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField, errorAt } from '../../ui/field.tsx';
import { type Choice, Picker } from '../../ui/picker.tsx';
import { say } from '../../ui/toast.tsx';
import { bodyOf, type Mention } from '../mentions/data.ts';
import { MentionField } from '../mentions/field.tsx';
import { findPeopleAndTeams } from '../search/data.ts';
import { readBadges, readGoals, thank } from './data.ts';

/** Thanks people and teams in public: with a badge or without, for a value or for none. */
export function KudosForm({ to = [] }: { to?: readonly Choice[] }) {
  const { route } = useLocation();
  const [recipients, setRecipients] = useState(to);
  const [text, setText] = useState('');
  const [mentions, setMentions] = useState<readonly Mention[]>([]);
  const [badge, setBadge] = useState('');
  const [goal, setGoal] = useState('');
  const { value: badges = [] } = useRead(readBadges, []);
  const { value: goals = [] } = useRead(readGoals, []);
  const { submit, isBusy, failed } = useSubmit(async () => {
    const given = { to: recipients, badge_id: Number(badge) || undefined, goal_id: Number(goal) || undefined };
    const { data } = await thank(bodyOf(text, mentions), given);
    route(`/kudos/${data.id}`);
    say(t('kudos.given'));
  });
  const named = (some: readonly { id: number; title: string }[]) => some.map(({ id, title }) => ({ id, name: title }));
  return (
    <form class="card composer" onSubmit={submit} aria-label={t('kudos.give')}>
      <Picker
        label={t('recognition.whom')}
        find={findPeopleAndTeams}
        chosen={recipients}
        onChosen={setRecipients}
        autofocus={to.length === 0}
      />
      <MentionField
        label={t('kudos.for')}
        error={failed && (errorAt(failed, 'text') ?? t('state.failed'))}
        value={text}
        onWords={setText}
        mentions={mentions}
        onMentions={setMentions}
        place={{}}
        maxLength={100_000}
      />
      {badges.length > 0 && (
        <ChoiceField
          label={t('kudos.badge')}
          value={badge}
          onChoice={setBadge}
          none={t('kudos.no_badge')}
          choices={named(badges)}
        />
      )}
      {goals.length > 0 && (
        <ChoiceField
          label={t('recognition.value')}
          value={goal}
          onChoice={setGoal}
          none={t('recognition.no_value')}
          choices={named(goals)}
        />
      )}
      <Button type="submit" look="main" icon="award" disabled={isBusy || text.trim() === '' || recipients.length === 0}>
        {t('kudos.send')}
      </Button>
    </form>
  );
}

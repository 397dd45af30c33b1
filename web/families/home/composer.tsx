import { useRead } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField, errorAt } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { OtherDraft } from '../drafts/other-draft.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { bodyOf, type Mention } from '../mentions/data.ts';
import { MentionField } from '../mentions/field.tsx';
import { postUpdate } from '../posts/data.ts';
import { spacesToPostIn } from '../spaces/data.ts';
import { news } from './data.ts';

const empty = { text: '', mentions: '', space: '' };
const mentionsOf = ({ mentions = '' }: Record<string, string>): readonly Mention[] => JSON.parse(mentions || '[]');

/** Says something to everybody, or to a space. */
export function Composer() {
  const draft = useDraft('update', empty);
  const { text = '', space = '' } = draft.fields;
  const mentions = mentionsOf(draft.fields);
  const setText = (words: string) => draft.write({ text: words });
  const { value: spaces = [] } = useRead(spacesToPostIn, []);
  const { submit, isBusy, failed } = useSubmit(async () => {
    const { data } = await postUpdate(bodyOf(text, mentions), Number(space) || undefined);
    void draft.forget();
    news().prepend('updates', { ...data, kind: 'updates' } as never);
    say(t('post.posted'));
  });
  return (
    <form class="card composer" onSubmit={submit}>
      <MentionField
        label={t('post.new')}
        error={failed && (errorAt(failed, 'text') ?? t('state.failed'))}
        value={text}
        onWords={setText}
        mentions={mentions}
        onMentions={(some) => draft.write({ mentions: JSON.stringify(some) })}
        place={space ? { space_ids: [Number(space)] } : {}}
        maxLength={100_000}
      />
      {draft.other && <OtherDraft text={draft.other.fields.text ?? ''} choose={draft.choose} />}
      <ChoiceField
        label={t('post.for')}
        value={space}
        onChoice={(id) => draft.write({ space: id })}
        none={t('audience.everybody')}
        choices={spaces}
      />
      <Button type="submit" look="main" icon="send" disabled={isBusy || text.trim() === ''}>
        {t('post.post')}
      </Button>
    </form>
  );
}

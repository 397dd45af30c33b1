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
import { type NewPoll, noPoll } from '../polls/data.ts';
import { PollFields } from '../polls/poll-fields.tsx';
import { postUpdate } from '../posts/data.ts';
import { FilesField, takes, useFiles } from '../posts/files-field.tsx';
import { spacesToPostIn, updatesOf } from '../spaces/data.ts';
import { news } from './data.ts';

const empty = { text: '', mentions: '', space: '', poll: '' };
const mentionsOf = ({ mentions = '' }: Record<string, string>): readonly Mention[] => JSON.parse(mentions || '[]');
const pollOf = ({ poll = '' }: Record<string, string>): NewPoll | undefined => (poll ? JSON.parse(poll) : undefined);

/** Says something to everybody, or to a space: one that is chosen, or the one where this stands. */
export function Composer({ space_id }: { space_id?: number }) {
  const files = useFiles();
  const draft = useDraft(space_id ? `update-${space_id}` : 'update', empty);
  const { text = '', space = '' } = { ...draft.fields, ...(space_id ? { space: String(space_id) } : {}) };
  const mentions = mentionsOf(draft.fields);
  const poll = pollOf(draft.fields);
  const setPoll = (asked: NewPoll | undefined) => draft.write({ poll: asked ? JSON.stringify(asked) : '' });
  const setText = (words: string) => draft.write({ text: words });
  const { value: spaces = [] } = useRead(spacesToPostIn, []);
  const { submit, isBusy, failed } = useSubmit(async () => {
    const written = { ...bodyOf(text, mentions), ...files.ids };
    const { data } = await postUpdate(written, Number(space) || undefined, poll);
    void draft.forget();
    files.clear();
    (space_id ? updatesOf(space_id) : news()).prepend('updates', { ...data, kind: 'updates' } as never);
    say(t('post.posted'));
  });
  if (space_id && !spaces.some(({ id }) => id === space_id)) return null;
  return (
    <form class="card composer" onSubmit={submit} {...takes(files)}>
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
      <FilesField files={files} />
      {!space_id && (
        <ChoiceField
          label={t('post.for')}
          value={space}
          onChoice={(id) => draft.write({ space: id })}
          none={t('audience.everybody')}
          choices={spaces}
        />
      )}
      {poll ? (
        <PollFields poll={poll} onPoll={setPoll} />
      ) : (
        <Button icon="list-checks" onClick={() => setPoll(noPoll)}>
          {t('poll.add')}
        </Button>
      )}
      <Button type="submit" look="main" icon="send" disabled={isBusy || text.trim() === '' || !files.areThere}>
        {t('post.post')}
      </Button>
    </form>
  );
}
